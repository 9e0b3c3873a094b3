"""Extracts the drawings of the sketchbook from two emoji sets and from the SVG files in own/<group>/, as clean outlines.

    pip install shapely==2.2.0 picosvg==0.23.0 skia-pathops==0.9.2
    npm pack @iconify-json/fluent-emoji-flat@1.2.6 @iconify-json/noto@1.2.9 emojibase-data@17.0.0
    # unpack each into DOWNLOADS/<fluent|noto|emojibase>/
    python extract.py DOWNLOADS drawings.bin.gz

Every drawing becomes a planar map: regions with their colors, the arcs between them (each stored once) and the order in which
small regions are merged into their neighbors when the drawing is printed small. `src/art/decode.rs` reads the result.
"""

import gzip
import json
import math
import struct
import sys
from multiprocessing import Pool
from pathlib import Path

from planar import DARK, GRID, SIMILAR_COLOR, Map, faces_of, painted_shapes, srgb, visible_regions
from selection import chosen

SIMPLIFY = 1.7
LARGEST_MERGED = 260.0


def color_distance(a, b):
    return math.dist(a, b)


def melt_equal(planar):
    """Merges slivers and neighbors of almost the same color, which were one surface in the original."""
    changed = True
    while changed:
        changed = False
        borders = planar.borders()
        for index in sorted(planar.regions(), key=lambda i: planar.radius[i]):
            neighbours = {n: l for n, l in borders[index].items() if n != 0 and planar.find(n) == n}
            if not neighbours or planar.find(index) != index:
                continue
            near = min(neighbours, key=lambda n: color_distance(planar.colors[index], planar.colors[n]))
            if color_distance(planar.colors[index], planar.colors[near]) < SIMILAR_COLOR:
                planar.merge(index, near)
                changed = True
                break
            if planar.radius[index] < 16:
                planar.merge(index, max(neighbours, key=neighbours.get))
                changed = True
                break


def melt_rims(planar):
    """Merges a thin rim along the silhouette: it is shading, and its two sides would print as a doubled line."""
    borders = planar.borders()
    for index in sorted(planar.regions(), key=lambda i: planar.radius[i]):
        neighbours = borders[index]
        inner = {n: l for n, l in neighbours.items() if n != 0}
        outside = neighbours.get(0, 0.0) / max(sum(neighbours.values()), 1.0)
        polygon = planar.polygons[index]
        thin = planar.radius[index] < 100 and polygon.area / max(polygon.length / 2, 1) < 120
        if inner and thin and 0.25 < outside < 0.72 and polygon.length / 2 > 9 * planar.radius[index]:
            planar.merge(index, max(inner, key=inner.get))
            borders = planar.borders()


def solids(planar):
    """Returns the regions that remain black: eyes, mouths and lines, small and dark, or thin inside another region."""
    borders = planar.borders()
    whole = sum(planar.polygons[i].area for i in planar.regions())
    found = set()
    for index in planar.regions():
        polygon, radius, color = planar.polygons[index], planar.radius[index], planar.colors[index]
        length = polygon.length / 2
        mean_width = polygon.area / max(length, 1)
        neighbours = borders[index]
        outside = neighbours.get(0, 0.0) / max(sum(neighbours.values()), 1.0)
        if color[0] < DARK and outside < 0.2 and (polygon.area < 0.02 * whole or mean_width < 110) and radius < 210:
            found.add(index)
        elif color[0] < DARK and mean_width < 70 and radius < 90:
            found.add(index)
        elif mean_width < 75 and radius < 70 and length > 9 * radius and outside < 0.03:
            around = max((n for n in neighbours if n), key=lambda n: neighbours[n], default=None)
            lone = around is not None and neighbours[around] > 0.85 * sum(neighbours.values())
            if lone and color_distance(color, planar.colors[around]) > 22:
                found.add(index)
    return found


def close_eyes(planar, solid):
    """Merges the highlight inside an eye, which is too small to color and would make two eyes differ."""
    if not solid:
        return
    lengths = planar.borders()
    for index in sorted(planar.regions(), key=lambda i: planar.radius[i]):
        borders = lengths[index]
        if index in solid or planar.find(index) != index:
            continue
        around = max((n for n in borders if n in solid), key=lambda n: borders[n], default=None)
        if around is not None and borders[around] > 0.6 * sum(borders.values()) and planar.radius[index] < planar.radius[around] * 1.1:
            planar.merge(index, around)


def melting_order(planar, solid):
    """Returns the merges for small sizes as (region, into, radius), the smallest region first."""
    order = []
    while True:
        candidates = [i for i in planar.regions() if i not in solid and planar.radius[i] < LARGEST_MERGED]
        candidates.sort(key=lambda i: planar.radius[i])
        borders = planar.borders()
        for index in candidates:
            open_neighbours = {n: l for n, l in borders[index].items() if n != 0 and n not in solid}
            if open_neighbours:
                into = max(open_neighbours, key=open_neighbours.get)
                order.append((index, into, planar.radius[index]))
                planar.merge(index, into)
                break
        else:
            return order


def arcs(planar, sides):
    """Returns the chains of segments between junctions: (left, right, points). `sides` maps faces to regions."""
    edges, at = {}, {}
    for (a, b), face in planar.left.items():
        left, right = sides(face), sides(planar.left.get((b, a), 0))
        if left == right or (b, a) in edges:
            continue
        edges[(a, b)] = (left, right)
        at.setdefault(a, []).append((a, b))
        at.setdefault(b, []).append((a, b))

    def junction(point):
        return len(at[point]) != 2 or len({frozenset(edges[e]) for e in at[point]}) != 1

    used, chains = set(), []

    def walk(start, edge):
        points, pair, at_point = [start], None, start
        while edge not in used:
            used.add(edge)
            forward = edge[0] == at_point
            here = edges[edge] if forward else edges[edge][::-1]
            pair = pair or here
            at_point = edge[1] if forward else edge[0]
            points.append(at_point)
            if junction(at_point):
                break
            following = [e for e in at[at_point] if e not in used]
            if not following:
                break
            edge = following[0]
        chains.append((*pair, points))

    for point in at:
        if junction(point):
            for edge in at[point]:
                if edge not in used:
                    walk(point, edge)
    for edge in list(edges):
        if edge not in used:
            walk(edge[0], edge)
    return [(left, right, simplify(points)) for left, right, points in chains]


def simplify(points):
    """Simplifies a chain (Douglas-Peucker). A closed chain is first split at its farthest point."""
    if len(points) < 3:
        return points
    if points[0] == points[-1]:
        far = max(range(len(points)), key=lambda i: math.dist(points[0], points[i]))
        return reduce_chain(points[: far + 1]) + reduce_chain(points[far:])[1:]
    return reduce_chain(points)


def reduce_chain(points):
    (ax, ay), (bx, by) = points[0], points[-1]
    length = math.hypot(bx - ax, by - ay) or 1.0
    worst, where = 0.0, 0
    for i in range(1, len(points) - 1):
        x, y = points[i]
        away = abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length
        if away > worst:
            worst, where = away, i
    if worst <= SIMPLIFY:
        return [points[0], points[-1]]
    return reduce_chain(points[: where + 1]) + reduce_chain(points[where:])[1:]


def extract(job):
    label, group, collection, tags, body, width, height = job
    try:
        planar = Map(faces_of(visible_regions(painted_shapes(body, width, height))))
        melt_equal(planar)
        melt_rims(planar)
        solid = solids(planar)
        close_eyes(planar, solid)
        number = {0: 0}
        for index in planar.regions():
            number[index] = len(number)
        base = {i: planar.find(i) for i in planar.parent}
        lines = arcs(planar, lambda face: number[base[face]])
        radii = {number[i]: planar.radius[i] for i in planar.regions()}
        areas = {number[i]: planar.polygons[i].area for i in planar.regions()}
        black = {number[i] for i in solid}
        colors = {number[i]: srgb(planar.colors[i]) for i in planar.regions()}
        poles = {}
        for i in planar.regions():
            poles[number[i]] = tuple(int(v) for v in pole(planar.polygons[i]))
        order = [(number[a], number[b], r) for a, b, r in melting_order(planar, solid)]
    except Exception as error:  # a malformed icon must not end the run: it is reported and skipped
        return label, None, repr(error)
    regions = [(n in black, poles[n], radii[n], areas[n], colors[n]) for n in sorted(radii)]
    return label, encode(label, group, collection, tags, regions, order, lines), len(regions)


def pole(polygon):
    import shapely

    return shapely.maximum_inscribed_circle(polygon, tolerance=4.0).coords[0]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def text(value):
    data = value.encode()
    return varint(len(data)) + data


def encode(label, group, collection, tags, regions, order, lines):
    """The format is described in src/art/decode.rs."""
    out = text(label) + bytes([group, collection]) + text(",".join(tags))
    out += varint(len(regions))
    for black, (x, y), radius, area, color in regions:
        out += bytes([int(black)]) + signed(x) + signed(y) + varint(round(radius)) + varint(round(area / 64)) + color
    out += varint(len(order))
    for region, into, radius in order:
        out += varint(region) + varint(into) + varint(round(radius))
    out += varint(len(lines))
    for left, right, points in lines:
        out += varint(left) + varint(right) + varint(len(points))
        last = (0, 0)
        for x, y in points:
            out += signed(x - last[0]) + signed(y - last[1])
            last = (x, y)
    return out


def main():
    downloads, target = Path(sys.argv[1]), Path(sys.argv[2])
    read = lambda path: json.loads((downloads / path).read_text())
    jobs = chosen(read("fluent/icons.json"), read("fluent/chars.json"), read("noto/icons.json"), read("noto/chars.json"), read("emojibase/en/data.json"))
    with Pool() as pool:
        results = pool.map(extract, jobs, chunksize=8)
    drawings = []
    for label, data, note in results:
        if data is None:
            print(f"left out {label}: {note}", file=sys.stderr)
        else:
            drawings.append(data)
    blob = b"LPSB" + struct.pack("<HH", 2, GRID) + varint(len(drawings)) + b"".join(drawings)
    target.write_bytes(gzip.compress(blob, 9, mtime=0))
    print(f"{len(drawings)} drawings, {len(blob)} bytes, {target.stat().st_size} compressed", file=sys.stderr)


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    main()
