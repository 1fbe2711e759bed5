//! An index as bytes. It can be stored, and loaded later without building it again.
//!
//! All numbers are little-endian. First come five fields of 8 bytes each: the mark, the checksum, the fingerprint of
//! the measure, the number of items, and the number of segments. Then come the blocks of each segment, in the order of
//! `ListIndex::to_bytes`. A block has the number of its bytes (in 8 bytes), the bytes, and zeros up to a multiple of 8.
//!
//! So, if the bytes are aligned, all numbers are aligned. The numbers can then stay in a file that is mapped to memory.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use super::classes::Classes;
use super::postings::Postings;
use super::segment::{Part, Segment, bound_by};
use super::{IndexMeasure, ListIndex, check_rows};
use crate::error::Error;
use crate::gram::Options;
use crate::gram::strategies::lists::setting::ListSetting;
use crate::measure::{Measure, MeasureKind, Part as MeasurePart};
use crate::memory::{self, Keeper, Plain, Stored};
use crate::pair::lists::bounds::BoundBy;
use crate::rankings::Lists;

/// The first 8 bytes. The last of them is the version of the format.
const MARK: &[u8; 8] = b"wkendLI1";
/// The checksum is computed from the bytes from this position on.
const CHECKED: usize = 16;

const DAMAGED: Error = Error::IndexBytes { reason: "the parts do not fit together" };

impl ListIndex<'_> {
    /// The index as bytes, for [`from_bytes`](ListIndex::from_bytes). The measure is not stored.
    ///
    /// The first 8 bytes are `wkendLI1`, where 1 is the version of the format. The next 8 bytes are a checksum h of all
    /// bytes that follow. It begins as h = 0. Each word w of 8 bytes replaces h by `(h ^ w) * 0x9e3779b97f4a7c15`,
    /// modulo 2^64, rotated to the left by 29 bits. All numbers are little-endian.
    ///
    /// # Errors
    /// Returns an error when there is no memory.
    ///
    /// ```
    /// use wkendall::{ListIndex, Lists, Measure, Options};
    /// let measure = Measure::rank_biased_overlap(1_000_000, 0.9, "ext", "a")?;
    /// let lists = Lists::from_orders(1_000_000, &[vec![7, 5], vec![5, 9], vec![8]])?;
    /// let bytes = ListIndex::new(&measure, &lists, Options::default())?.to_bytes()?;
    /// // std::fs::write("lists.index", &bytes)?; then, in another process, std::fs::read("lists.index")?
    /// let index = ListIndex::from_bytes(&measure, &bytes, Options::default())?;
    /// assert_eq!(index.to_lists()?, lists);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let numbers = [0, fingerprint(&self.measure.part), self.items as u64, self.parts.len() as u64];
        memory::extend(&mut bytes, MARK)?;
        memory::extend(&mut bytes, numbers.map(u64::to_le_bytes).as_flattened())?;
        for part in &self.parts {
            let Segment { lists, roots, postings, classes, .. } = &*part.segment;
            write(&mut bytes, &as_u64(lists.bounds())?)?;
            write(&mut bytes, lists.all_entries())?;
            write(&mut bytes, &memory::collect(lists.has_all().iter().map(|&all| u8::from(all)))?)?;
            write(&mut bytes, part.removed())?;
            write(&mut bytes, roots.as_deref().unwrap_or_default())?;
            write(&mut bytes, classes.all())?;
            write(&mut bytes, &postings.items)?;
            write(&mut bytes, &as_u64(&postings.starts)?)?;
            write(&mut bytes, &postings.lists)?;
            write(&mut bytes, &postings.norms)?;
            write(&mut bytes, &postings.ranks)?;
            write(&mut bytes, &[postings.largest])?;
        }
        let checksum = checksum(&bytes[CHECKED..]);
        bytes[MARK.len()..CHECKED].copy_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    /// The index that [`to_bytes`](ListIndex::to_bytes) stored. If the index was made for another measure, or by
    /// another version of this crate, it is built again from its lists. So the results of the index are always the
    /// results of `measure`.
    ///
    /// # Errors
    /// Returns the same errors as [`ListIndex::new`], and an error in these cases:
    ///
    /// - The bytes are not an index, or they are damaged.
    /// - The bytes have another version of the format.
    /// - The index and the measure have different numbers of items.
    pub fn from_bytes(measure: &Measure, bytes: &[u8], options: Options<'_>) -> Result<ListIndex<'static>, Error> {
        options.check()?;
        Input::new(bytes, None)?.index(measure, options)
    }

    /// The same as [`from_bytes`](ListIndex::from_bytes), for bytes that stay in memory, for example the bytes of a
    /// file that is mapped to memory. If the bytes are aligned to 8 bytes, the index uses their memory and does not
    /// copy them. So loading is faster than with [`from_bytes`](ListIndex::from_bytes), and several processes share the
    /// memory of the file. The file must not change.
    ///
    /// # Errors
    /// Returns the same errors as [`from_bytes`](ListIndex::from_bytes).
    #[allow(clippy::needless_pass_by_value)] // an `Arc` of a type of the caller becomes one of the trait only by value
    pub fn from_shared_bytes(
        measure: &Measure,
        bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
        options: Options<'_>,
    ) -> Result<ListIndex<'static>, Error> {
        options.check()?;
        Input::new((*bytes).as_ref(), Some(&bytes))?.index(measure, options)
    }
}

/// A number that depends on all parameters of a measure and on the version of this crate. Another version may compute
/// other bounds.
fn fingerprint(part: &MeasurePart) -> u64 {
    struct Text(u64);
    impl Write for Text {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = text.bytes().fold(self.0, |hash, byte| mixed(hash, u64::from(byte)));
            Ok(())
        }
    }
    let mut text = Text(0);
    let (written, version) = (&mut text, env!("CARGO_PKG_VERSION"));
    // This writes to a hasher, which cannot fail.
    let _ = match part {
        MeasurePart::Kendall(measure) => write!(written, "{version} {:?}", measure.parameters()),
        MeasurePart::Pairwise(measure) => write!(written, "{version} {measure:?}"),
    };
    text.0
}

fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The checksum of words of 8 bytes. If exactly one word differs, the checksum always differs.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.as_chunks().0.iter().fold(0, |hash, &word| mixed(hash, u64::from_le_bytes(word)))
}

fn as_u64(sizes: &[usize]) -> Result<Vec<u64>, Error> {
    memory::collect(sizes.iter().map(|&size| size as u64))
}

/// Appends a block.
fn write<T: Plain>(bytes: &mut Vec<u8>, numbers: &[T]) -> Result<(), Error> {
    let length = size_of_val(numbers);
    memory::extend(bytes, &(length as u64).to_le_bytes())?;
    bytes.try_reserve(length + 8).map_err(|_| Error::OutOfMemory { bytes: bytes.len() + length })?;
    for &number in numbers {
        bytes.extend_from_slice(number.to_bytes().as_ref());
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(())
}

/// The bytes that are read.
struct Input<'a> {
    /// The number of all bytes.
    length: usize,
    /// The bytes that have not been read yet.
    bytes: &'a [u8],
    /// The object that keeps the bytes, if the index can use their memory.
    keeper: Option<&'a Keeper>,
}

impl<'a> Input<'a> {
    /// Checks the mark and the checksum, and returns what follows them.
    fn new(bytes: &'a [u8], keeper: Option<&'a Keeper>) -> Result<Self, Error> {
        let reason = "they do not begin as an index of this version of the format does";
        let rest = bytes.strip_prefix(MARK).filter(|rest| rest.len() % 8 == 0 && !rest.is_empty());
        let mut input = Self { length: bytes.len(), bytes: rest.ok_or(Error::IndexBytes { reason })?, keeper };
        if input.number()? == checksum(input.bytes) {
            return Ok(input);
        }
        Err(Error::IndexBytes { reason: "the checksum differs" })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(DAMAGED)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, Error> {
        let bytes = self.take(8)?;
        bytes.try_into().map(u64::from_le_bytes).map_err(|_| DAMAGED)
    }

    fn size(&mut self) -> Result<usize, Error> {
        usize::try_from(self.number()?).map_err(|_| DAMAGED)
    }

    /// The bytes of the next block.
    fn block(&mut self) -> Result<&'a [u8], Error> {
        let length = self.size()?;
        let block = self.take(length)?;
        self.take(length.next_multiple_of(8) - length)?;
        Ok(block)
    }

    fn numbers<T: Plain>(&mut self) -> Result<Vec<T>, Error> {
        T::read(self.block()?)?.ok_or(DAMAGED)
    }

    fn sizes(&mut self) -> Result<Vec<usize>, Error> {
        let numbers = self.numbers::<u64>()?;
        memory::collect(numbers.into_iter().map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    /// The same as [`Input::numbers`], but uses the memory of the bytes if possible.
    fn stored<T: Plain>(&mut self) -> Result<Stored<T>, Error> {
        let start = self.length - self.bytes.len() + 8;
        let block = self.block()?;
        let kept = self.keeper.and_then(|keeper| Stored::kept(keeper, start..start + block.len()));
        kept.map_or_else(|| Ok(T::read(block)?.ok_or(DAMAGED)?.into()), Ok)
    }

    /// Reads the index: all that follows the checksum.
    fn index(mut self, measure: &Measure, options: Options<'_>) -> Result<ListIndex<'static>, Error> {
        let MeasureKind::Part(part) = measure.kind() else { return Err(Error::ListMeasure) };
        let same = self.number()? == fingerprint(part);
        let (items, count) = (self.size()?, self.size()?);
        let mut segments = Vec::new();
        for _ in 0..count {
            memory::push(&mut segments, StoredSegment::read(items, &mut self)?)?;
        }
        if segments.is_empty() || !self.bytes.is_empty() {
            return Err(DAMAGED);
        }
        part.check_items(items)?;
        if same {
            return from_segments(part, segments, items, options);
        }
        let mut sets = Vec::new();
        for StoredSegment { lists, removed, .. } in &segments {
            let mut removed = removed.iter().peekable();
            let all = 0..lists.rows() as u32;
            memory::push(&mut sets, (lists, memory::collect(all.filter(|list| removed.next_if_eq(&list).is_none()))?))?;
        }
        let lists = Lists::concatenated(items, &sets)?.without_last_blocks()?;
        Ok(ListIndex::of(part, &lists, options)?.into_owned())
    }
}

/// The parts of a segment that take long to compute.
struct StoredSegment {
    lists: Lists,
    /// The removed lists, in increasing order.
    removed: Vec<u32>,
    /// The divisors of values; empty if there are none.
    roots: Vec<f64>,
    classes: Classes,
    postings: Postings,
}

impl StoredSegment {
    fn read(items: usize, input: &mut Input<'_>) -> Result<Self, Error> {
        let (bounds, entries) = (input.sizes()?, input.stored()?);
        let has_all = memory::collect(input.block()?.iter().map(|&all| all != 0))?;
        let lists = Lists::from_parts(items, bounds, entries, has_all).ok_or(DAMAGED)?;
        check_rows(lists.rows())?;
        let (removed, roots) = (input.numbers::<u32>()?, input.numbers()?);
        let classes = Classes::from_numbers(input.numbers()?, lists.rows())?.ok_or(DAMAGED)?;
        let (listed, starts) = (input.numbers()?, input.sizes()?);
        let (of_items, norms, ranks) = (input.stored()?, input.stored()?, input.stored()?);
        let &[largest] = &input.numbers()?[..] else { return Err(DAMAGED) };
        let postings = Postings { items: listed, starts, lists: of_items, norms, ranks, largest };
        let fits = postings.fit(&lists)
            && removed.is_sorted_by(|one, other| one < other)
            && removed.last().is_none_or(|&last| (last as usize) < lists.rows());
        if fits { Ok(Self { lists, removed, roots, classes, postings }) } else { Err(DAMAGED) }
    }
}

/// The index with these segments, which were made for this measure.
fn from_segments(
    part: &MeasurePart,
    segments: Vec<StoredSegment>,
    items: usize,
    options: Options<'_>,
) -> Result<ListIndex<'static>, Error> {
    let Some(longest) = segments.iter().max_by_key(|segment| segment.lists.longest()) else { return Err(DAMAGED) };
    let measure = IndexMeasure::new(Cow::Owned(part.clone()), &longest.lists, options.run().watch)?;
    let (mut parts, mut first) = (Vec::new(), 0);
    for StoredSegment { lists, removed, roots, classes, postings } in segments {
        let (mut by, mut needs_roots) = (BoundBy::default(), false);
        if let Some((measure, known)) = measure.kendall() {
            let setting = ListSetting::with_known(measure, &lists, &lists, known, None)?;
            (by, needs_roots) = (bound_by(&setting, &lists), setting.needs_roots());
        }
        let rows = |needed: bool, rows: usize| if needed { rows } else { 0 };
        let fits = roots.len() == rows(needs_roots, lists.rows())
            && postings.norms.len() == rows(measure.known.is_some(), lists.entries());
        if !fits {
            return Err(DAMAGED);
        }
        let (longest, roots, lists) = (lists.longest(), needs_roots.then_some(roots), Cow::Owned(lists));
        let part = Part::all(Segment { lists, longest, roots, by, postings, classes }).without(&removed)?;
        check_rows(first as usize + part.rows())?;
        let rows = part.rows() as u32;
        memory::push(&mut parts, part.numbered_from(first))?;
        first += rows;
    }
    Ok(ListIndex { measure, items, parts })
}
