"""Public instances of permutation problems, and random ones: functions of an order, with the known optimum.

Flow shops are generated as published by E. Taillard, Benchmarks for basic scheduling problems, European Journal of
Operational Research 64 (1993). Tours are from TSPLIB (G. Reinelt, ORSA Journal on Computing 3, 1991), assignments from
QAPLIB (R. E. Burkard, S. E. Karisch and F. Rendl, Journal of Global Optimization 10, 1997). `python benches/instances.py`
checks that a long local search finds the optimum of each public instance.
"""

from math import acos, cos

import numpy as np

#: Time seeds and best known makespans of Taillard's flow shops with 20 jobs on 5 machines.
TAILLARD = {
    "ta001": (873654221, 1278),
    "ta002": (379008056, 1359),
    "ta003": (1866992158, 1081),
    "ta004": (216771124, 1293),
    "ta005": (495070989, 1235),
    "ta006": (402959317, 1195),
    "ta007": (1369363414, 1234),
    "ta008": (2021925980, 1206),
    "ta009": (573109518, 1230),
    "ta010": (88325120, 1108),
}
#: Degrees and minutes: the number 16.47 is 16 degrees and 47 minutes.
PLACES = {
    "burma14": """16.47 96.10 16.47 94.44 20.09 92.54 22.39 93.37 25.23 97.24 22.00 96.05 20.47 97.02 17.20 96.29 16.30 97.38
    14.05 98.12 16.53 97.38 21.52 95.59 19.41 97.13 20.09 94.55""",
    "ulysses16": """38.24 20.42 39.57 26.15 40.56 25.32 36.26 23.12 33.48 10.54 37.56 12.19 38.42 13.11 37.52 20.44 41.23 9.10
    41.17 13.05 36.08 -5.21 38.47 15.13 38.15 15.35 37.51 15.17 35.49 14.32 39.36 19.56""",
}
#: The parts of symmetric matrices below the diagonal, row by row.
BELOW = {
    "gr17": """633 257 390 91 661 228 412 227 169 383 150 488 112 120 267 80 572 196 77 351 63 134 530 154 105 309 34 29 259 555
    372 175 338 264 232 249 505 289 262 476 196 360 444 402 495 353 282 110 324 61 208 292 250 352 154 324 638 437 240 421 329
    297 314 95 578 435 70 567 191 27 346 83 47 68 189 439 287 254 211 466 74 182 243 105 150 108 326 336 184 391 145 268 420 53
    239 199 123 207 165 383 240 140 448 202 57 246 745 472 237 528 364 332 349 202 685 542 157 289 426 483 121 518 142 84 297 35
    29 36 236 390 238 301 55 96 153 336""",
    "bays29": """107 241 148 190 137 374 124 88 171 202 80 127 259 234 61 316 336 509 222 392 386 76 183 317 192 202 141 233 152
    134 217 248 46 72 438 213 157 95 232 42 160 167 254 188 206 283 254 491 117 319 351 202 272 365 159 133 180 312 287 112 55
    439 193 89 220 404 113 101 280 79 163 157 235 131 209 57 176 210 297 234 391 107 322 331 254 302 368 149 106 384 186 228 175
    412 38 240 272 210 233 286 80 79 325 117 69 129 176 349 121 232 226 187 98 278 132 161 279 75 191 122 348 265 422 152 314 362
    313 344 360 193 165 415 231 59 122 244 276 199 356 86 287 296 266 289 333 127 141 349 165 35 56 178 66 188 182 355 68 238 232
    154 177 284 100 95 285 81 125 56 66 178 112 150 67 204 70 155 164 282 216 201 28 187 217 85 167 108 160 198 132 128 65 42 182
    137 65 85 321 141 111 95 254 138 92 255 175 161 286 220 167 88 341 278 435 151 366 375 298 346 412 193 103 428 230 44 113 235
    77 79 169 211 299 184 271 417 239 300 249 168 108 321 241 279 310 184 309 240 118 362 296 179 269 229 353 67 146 292 135 175
    147 249 57 221 131 215 200 74 245 176 62 287 232 120 159 104 289 121 221 251 424 137 307 301 95 190 353 169 117 354 150 169
    125 92 228 181 69 197 236 213 162 154 169 105 116 242 57 118 437 245 72 200 359 169 208 327 280 277 358 292 283 172 110 371
    345 220 352 108 191 337 165 220 188 190 43 266 161 216 241 104 246 177 55 299 233 121 189 149 290 80 41 147 265 45 139 273
    228 121 60 314 81 132 189 308 112 158 335 266 155 380 314 213 182 97 379 189 93 247 178 124 167 79 77 205 97 185 435 243 111
    163 322 238 206 288 243 275 319 253 281 135 108 332 342 218 350 39 263 199""",
    "nug12": """5 2 3 4 0 0 1 2 0 5 0 2 0 2 10 0 2 0 2 0 5 6 0 5 10 0 1 10 2 4 5 0 0 1 5 0 1 5 2 0 5 5 2 0 0 1 0 2 5 1 4 3 5
    10 5 1 0 2 5 1 0 3 0 10 0 2""",
    "chr15a": """84 81 39 10 67 53 40 62 12 43 39 38 50 90 86 5 3 98 84 18 58 83 16 94 60 1 92 53 10 43 4 50 28 90 93 30 78 47 16
    43 14 62 69 35 16 88 70 24 46 58 99 98 39 10 28 74 97 17 80 34 93 27 55 96 13 94 88 4 20 53 2 64 19 25 7 97 91 48 16 17 38 20
    3 50 50 12 11 63 44 36 69 21 34 60 1 55 83 86 41 52 91 62 11 80 41""",
}
#: The flows of chr15a: two facilities and the flow between them.
TREE = """0 1 12 0 2 86 0 3 68 1 4 69 2 5 34 2 6 35 3 7 19 6 8 2 7 9 21 7 10 88 8 11 79 9 12 3 10 13 40 12 14 77"""
OPTIMA = {"burma14": 3323, "ulysses16": 6859, "gr17": 2085, "bays29": 2020, "nug12": 578, "chr15a": 9896}
OPTIMA |= {name: best for name, (_, best) in TAILLARD.items()}


def taillard(seed, jobs=20, machines=5):
    """Generate processing times, one row per job, with Bratley and Schrage's form of the linear congruential generator."""
    times = np.empty((jobs, machines), int)
    for machine in range(machines):
        for job in range(jobs):
            high, low = divmod(seed, 127773)
            seed = 16807 * low - 2836 * high
            seed += (2**31 - 1) * (seed < 0)
            times[job, machine] = 1 + int(99 * (seed / (2**31 - 1)))
    return times


def flow_shop(times):
    """Return the makespan as a function of the order of jobs."""
    times = times.tolist()

    def makespan(order):
        free = [0] * len(times[0])
        for job in order:
            done = 0
            for machine, duration in enumerate(times[job]):
                done = free[machine] = max(free[machine], done) + duration
        return float(free[-1])

    return makespan


def tour(lengths):
    return lambda x: float(lengths[x, np.roll(x, 1)].sum())


def assignment(flow, distance):
    return lambda x: float((flow * distance[np.ix_(x, x)]).sum())


def ordering(gains):
    return lambda x: -float(np.triu(gains[np.ix_(x, x)], 1).sum())


def symmetric(name):
    numbers = np.array(BELOW[name].split(), int)
    items = int((1 + (1 + 8 * len(numbers)) ** 0.5) / 2)
    matrix = np.zeros((items, items), int)
    matrix[np.tril_indices(items, -1)] = numbers
    return matrix + matrix.T


def on_earth(name):
    """Return TSPLIB's distances between places on the earth, in whole kilometres."""
    degrees = np.array(PLACES[name].split(), float).reshape(-1, 2)
    whole = np.trunc(degrees)
    # TSPLIB says 3.141592 and not pi.
    latitude, longitude = (3.141592 * (whole + 5 * (degrees - whole) / 3) / 180).T
    lengths = np.zeros((len(degrees), len(degrees)), int)
    for i, j in zip(*np.triu_indices(len(degrees), 1), strict=True):
        across = cos(longitude[i] - longitude[j])
        plus, minus = cos(latitude[i] + latitude[j]), cos(latitude[i] - latitude[j])
        angle = acos(((1 + across) * minus - (1 - across) * plus) / 2)
        lengths[i, j] = lengths[j, i] = int(6378.388 * angle + 1)
    return lengths


def public(name):
    """Return the function, the number of items and the space of a public instance."""
    if name in TAILLARD:
        return flow_shop(taillard(TAILLARD[name][0])), 20, "order"
    if name in PLACES or name in ("gr17", "bays29"):
        lengths = on_earth(name) if name in PLACES else symmetric(name)
        return tour(lengths), len(lengths), "tour"
    if name == "nug12":  # places on a grid of three by four
        places = np.array([divmod(place, 4) for place in range(12)])
        return assignment(symmetric(name), np.abs(places[:, np.newaxis] - places).sum(axis=2)), 12, "order"
    distance, flow = symmetric("chr15a"), np.zeros((15, 15), int)
    first, second, amounts = np.array(TREE.split(), int).reshape(-1, 3).T
    flow[first, second] = flow[second, first] = amounts
    return assignment(flow, distance), 15, "order"


def drawn(kind, items, rng):
    """Return the function and the space of a random problem."""
    if kind == "travelling salesman":
        cities = rng.random((items, 2))
        return tour(np.linalg.norm(cities[:, np.newaxis] - cities, axis=2)), "tour"
    if kind == "quadratic assignment":
        flow, distance = rng.integers(0, 100, (2, items, items))
        flow, distance = np.triu(flow, 1), np.triu(distance, 1)
        return assignment(flow, distance + distance.T), "order"
    if kind == "linear ordering":
        return ordering(rng.integers(0, 100, (items, items))), "order"
    return flow_shop(rng.integers(1, 100, (items, 5))), "order"


def check():
    """Find the optimum of each public instance by iterated local search."""
    from wkendall.optimize.moves import Moves

    rng = np.random.default_rng(0)
    assert taillard(TAILLARD["ta001"][0])[:10, 0].tolist() == [54, 83, 15, 71, 77, 36, 53, 38, 27, 87]
    for name, optimum in OPTIMA.items():
        f, items, space = public(name)
        moves, best = Moves(items, reversals=space == "tour"), np.inf
        order = rng.permutation(items)
        value = f(order)
        for _ in range(60):
            left = list(rng.permutation(len(moves)))
            while left:
                neighbour = moves.neighbour(order, left.pop())
                changed = f(neighbour)
                if changed < value:
                    order, value, left = neighbour, changed, list(rng.permutation(len(moves)))
            assert value >= optimum, name
            if value <= best:
                best, top = value, order
            if best == optimum:
                break
            order = top
            for _ in range(3):
                order = moves.neighbour(order, rng.integers(len(moves)))
            value = f(order)
        print(name, optimum, best)


if __name__ == "__main__":
    check()
