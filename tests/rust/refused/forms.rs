//! Forms that a measure does not have: every measure with every builder that it refuses.

use wkendall::{Measure, Options, Rankings, Weight, gram};

use super::{Case, case, kernel, mult, standard};

pub fn forms() -> Vec<Case> {
    let general = || kernel(&Weight::Matrix(vec![1.0; 9]));
    let distance = || Measure::distance(3);
    let mallows = || Measure::mallows(3, 1.0).unwrap();
    let correlation = || Measure::correlation(&Weight::Standard, 3).unwrap();
    let signed = || standard().signed().unwrap();
    let zero = "order is 0: named weights take an order of 1 or more";
    let own = "order is 3: named weights take an order of 1 or more, general weights have their own order";
    let order_2 = "order is 3, but only kernels of order 2 have a signed form";
    let distance_order = "order is 3, but a distance compares pairs of items: only a kernel with a named weight takes";
    vec![
        case("kernel of order 0", standard().with_order(0), "Order { order: 0 }", zero),
        case("normalized kernel of order 0", standard().normalized().with_order(0), "Order { order: 0 }", zero),
        case("signed kernel of order 0", signed().with_order(0), "Order { order: 0 }", zero),
        case("signed kernel of order 3", signed().with_order(3), "OrderSigned { order: 3 }", order_2),
        case("signed kernel of order 1", signed().with_order(1), "OrderSigned { order: 1 }", "order is 1, but only"),
        case("tau of order 3", signed().normalized().with_order(3), "OrderSigned { order: 3 }", order_2),
        case("signed triples", standard().with_order(3).unwrap().signed(), "OrderSigned { order: 3 }", order_2),
        case("general weights of order 3", general().with_order(3), "Order { order: 3 }", own),
        case("general weights of order 0", general().with_order(0), "Order { order: 0 }", zero),
        case(
            "signed general weights",
            general().signed(),
            "WeightSigned",
            "signed sums and correlations need a named weight, not general weights",
        ),
        case(
            "correlation of general weights",
            Measure::correlation(&Weight::Matrix(vec![0.0; 9]), 3),
            "WeightSigned",
            "signed sums and correlations need a named weight, not general weights",
        ),
        case(
            "signed distance",
            distance().signed(),
            "NoSignedForm { measure: \"a distance\" }",
            "a distance has no signed form: only a kernel with a named weight has one",
        ),
        case(
            "normalized distance",
            distance().try_normalized(),
            "NoNormalizedForm { measure: \"a distance\" }",
            "a distance has no normalized form: only a kernel with weights has one",
        ),
        case(
            "sum with a distance",
            standard().plus(distance()),
            "NotAKernel { measure: \"a distance\" }",
            "a distance is not a kernel: only kernels can be added, multiplied and raised to powers",
        ),
        case(
            "product with a correlation",
            standard().times(Measure::correlation(&Weight::Standard, 3).unwrap()),
            "NotAKernel { measure: \"a correlation\" }",
            "a correlation is not a kernel: only kernels can be added, multiplied and raised to powers",
        ),
        case(
            "sum of different numbers of items",
            standard().plus(Measure::kernel(&Weight::Standard, 4).unwrap()),
            "ItemsDiffer",
            "rankings of 4 items cannot go with 3 items: both must have the same number",
        ),
        case(
            "negative multiple",
            standard().scaled(-1.0),
            "KernelFactor { value: -1.0 }",
            "factor is -1.0, but a kernel is multiplied by a finite number from 0",
        ),
        case(
            "power of 0",
            standard().power(0),
            "KernelPower { exponent: 0 }",
            "exponent is 0, but a power of a kernel has a whole exponent from 1",
        ),
        case(
            "value that is not finite",
            Measure::kernel(&mult(&[1e50; 3]), 3).unwrap().power(2).and_then(|kernel| {
                gram(&kernel, &Rankings::from_ranks(1, 3, &[1, 2, 3]).unwrap(), None, Options::default())
            }),
            "NotFinite",
            "a value of the combined kernel is too large for a float64: scale the kernels down or normalize",
        ),
        case(
            "order of a sum",
            standard().plus(standard()).unwrap().with_order(3),
            "NoOtherOrder { measure: \"a combination of kernels\", order: 3 }",
            "order is 3, but a combination of kernels compares pairs of items: only a kernel with a named weight takes \
             an order",
        ),
        case(
            "distance of order 3",
            distance().with_order(3),
            "NoOtherOrder { measure: \"a distance\", order: 3 }",
            distance_order,
        ),
        case(
            "distance of order 0",
            distance().with_order(0),
            "NoOtherOrder",
            "order is 0, but a distance compares pairs",
        ),
        case(
            "signed Mallows kernel",
            mallows().signed(),
            "NoSignedForm { measure: \"the Mallows kernel\" }",
            "the Mallows kernel has no signed form",
        ),
        case(
            "Mallows kernel of order 3",
            mallows().with_order(3),
            "NoOtherOrder { measure: \"the Mallows kernel\", order: 3 }",
            "order is 3, but the Mallows kernel compares pairs of items",
        ),
        case(
            "signed correlation",
            correlation().signed(),
            "NoSignedForm { measure: \"a correlation\" }",
            "a correlation has no signed form",
        ),
        case(
            "correlation of order 3",
            correlation().with_order(3),
            "NoOtherOrder { measure: \"a correlation\", order: 3 }",
            "order is 3, but a correlation compares pairs of items",
        ),
    ]
}
