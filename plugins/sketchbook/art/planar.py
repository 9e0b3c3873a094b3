"""Conversion of an SVG icon to a planar map: neighboring regions share one border, so that no line is doubled."""

import math
import re
from collections import defaultdict

import shapely
from picosvg.svg import SVG
from picosvg.svg_types import SVGPath
from shapely.geometry import Polygon
from shapely.ops import polygonize

GRID = 4096
FLATNESS = 2.0
SIMILAR_COLOR = 13.0
DARK = 36.0


def lab(color):
    """Converts an sRGB hex color to CIE L*a*b*, in which distances match perceived differences."""
    rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz]
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


def srgb(color):
    """Converts CIE L*a*b* to sRGB bytes: the inverse of `lab`."""
    y = (color[0] + 16) / 116
    xyz = [t**3 if t > 0.206893 else (t - 16 / 116) / 7.787 for t in (y + color[1] / 500, y, y - color[2] / 200)]
    x, y, z = xyz[0] * 0.95047, xyz[1], xyz[2] * 1.08883
    linear = (3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z, 0.0557 * x - 0.204 * y + 1.057 * z)
    linear = [min(max(c, 0.0), 1.0) for c in linear]
    return bytes(round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055)) for c in linear)


def hex_color(text, fallback="#000000"):
    names = {"white": "#ffffff", "black": "#000000", "none": None, "currentColor": "#000000", "red": "#ff0000"}
    if text in names:
        return names[text]
    if re.fullmatch(r"#[0-9a-fA-F]{3}", text):
        return "#" + "".join(c * 2 for c in text[1:]).lower()
    if re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        return text.lower()
    return fallback


def gradients(root):
    """Returns the mean color and opacity of every gradient, by id."""
    found = {}
    for element in root.iter():
        if not isinstance(element.tag, str) or "Gradient" not in element.tag:
            continue
        stops = [s for s in element if isinstance(s.tag, str) and s.tag.endswith("stop")]
        if not stops:
            continue
        colors = [hex_color(s.get("stop-color", "#000000")) for s in stops]
        opacity = sum(float(s.get("stop-opacity", 1)) for s in stops) / len(stops)
        mean = [round(sum(int(c[i : i + 2], 16) for c in colors) / len(colors)) for i in (1, 3, 5)]
        found[element.get("id")] = ("#%02x%02x%02x" % tuple(mean), opacity)
    return found


def flatten(path):
    """Returns the rings of a path as lists of points."""
    rings, ring, at = [], [], (0.0, 0.0)
    for command, args in path.as_cmd_seq():
        if command == "M":
            if len(ring) > 2:
                rings.append(ring)
            at = args
            ring = [at]
        elif command == "Z":
            if len(ring) > 2:
                rings.append(ring)
            at = ring[0] if ring else at
            ring = [at]
        elif command == "L":
            at = args
            ring.append(at)
        elif command in "QC":
            points = [at] + [args[i : i + 2] for i in range(0, len(args), 2)]
            size = sum(math.dist(a, b) for a, b in zip(points, points[1:]))
            steps = max(3, min(40, int(math.sqrt(size / FLATNESS) * 1.6)))
            for step in range(1, steps + 1):
                ring.append(bezier(points, step / steps))
            at = points[-1]
        else:
            raise ValueError(f"unexpected path command {command}")
    if len(ring) > 2:
        rings.append(ring)
    return rings


def bezier(points, t):
    while len(points) > 1:
        points = [((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]) for a, b in zip(points, points[1:])]
    return points[0]


def painted_shapes(body, width, height):
    """Returns (polygon, color) pairs in painter's order, on the integer grid."""
    body = re.sub(r' (filter|style|mask)="[^"]*"', "", body)
    body = re.sub(r"<filter.*?</filter>|<mask.*?</mask>", "", body)
    side = max(width, height)
    source = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width} {height}">{body.replace(" href=", " xlink:href=")}</svg>'
    )
    svg = SVG.fromstring(source).topicosvg()
    paints = gradients(svg.svg_root)
    scale = GRID / side
    shapes = []
    for shape in svg.shapes():
        path = SVGPath(d=shape.as_path().d).absolute().explicit_lines().expand_shorthand().arcs_to_cubics()
        fill, opacity = shape.fill, shape.opacity * shape.fill_opacity
        if fill.startswith("url("):
            color, alpha = paints.get(fill[5:-1], ("#808080", 1.0))
            opacity *= alpha
        else:
            color = hex_color(fill)
        if color is None or opacity < 0.55:
            continue
        area = Polygon()
        for ring in flatten(path):
            ring = [(x * scale, y * scale) for x, y in ring]
            polygon = Polygon(ring)
            if not polygon.is_valid:
                polygon = polygon.buffer(0)
            area = areal(area.symmetric_difference(areal(polygon)))
        area = areal(shapely.set_precision(areal(area), 1.0))
        if area.area > 60:
            shapes.append((area, color))
    return shapes


def areal(geometry):
    """Returns only the polygons of a result, without the stray points and lines that precision models produce."""
    if geometry.geom_type in ("Polygon", "MultiPolygon"):
        return geometry
    parts = [g for g in getattr(geometry, "geoms", []) if g.geom_type in ("Polygon", "MultiPolygon")]
    return shapely.union_all(parts) if parts else Polygon()


def visible_regions(shapes):
    """Returns the visible part of each shape. Adjacent shapes of the same color are joined."""
    covered, seen = Polygon(), []
    for area, color in reversed(shapes):
        visible = areal(shapely.difference(area, covered, grid_size=1.0))
        covered = areal(shapely.union(covered, area, grid_size=1.0))
        if visible.area > 0:
            seen.append((visible, lab(color)))
    # Tiny gaps between shapes that should touch would become doubled lines.
    closed = covered.buffer(14).buffer(-14)
    cracks = areal(shapely.difference(closed, covered, grid_size=1.0))
    if cracks.area > 0:
        seen.append((cracks, (60.0, 0.0, 0.0)))
    return seen


def faces_of(seen):
    """Returns the faces of the map that the borders form, each with its color, and the border segments."""
    lines = shapely.union_all([shapely.set_precision(area.boundary, 1.0) for area, _ in seen], grid_size=1.0)
    tree = shapely.STRtree([area for area, _ in seen])
    faces = []
    for polygon in polygonize(lines):
        if polygon.area < 4:
            color = None
        else:
            point = polygon.representative_point()
            hits = [int(i) for i in tree.query(point) if seen[int(i)][0].contains(point)]
            if not hits:
                continue
            color = seen[hits[0]][1]
        faces.append((shapely.geometry.polygon.orient(polygon), color or (60.0, 0.0, 0.0)))
    return faces


class Map:
    """Regions with the directed border segments that have the region on their left. Regions can be merged."""

    def __init__(self, faces):
        self.polygons = {i + 1: f[0] for i, f in enumerate(faces)}
        self.colors = {i + 1: f[1] for i, f in enumerate(faces)}
        self.left = {}
        for index, polygon in self.polygons.items():
            for ring in [polygon.exterior, *polygon.interiors]:
                points = [(int(round(x)), int(round(y))) for x, y in ring.coords]
                for a, b in zip(points, points[1:]):
                    if a != b:
                        self.left[(a, b)] = index
        self.parent = {i: i for i in self.polygons}
        self.parent[0] = 0
        self.radius = {i: self.measure(i) for i in self.polygons}

    def measure(self, index):
        polygon = self.polygons[index]
        if polygon.is_empty or polygon.area < 1:
            return 0.0
        line = shapely.maximum_inscribed_circle(polygon, tolerance=4.0)
        return line.length

    def find(self, index):
        while self.parent[index] != index:
            index = self.parent[index]
        return index

    def borders(self):
        """Returns the length of the shared border of every pair of neighbors."""
        lengths = defaultdict(lambda: defaultdict(float))
        for (a, b), face in self.left.items():
            one, other = self.find(face), self.find(self.left.get((b, a), 0))
            if one != other:
                lengths[one][other] += math.dist(a, b)
                if other == 0:
                    lengths[0][one] += math.dist(a, b)
        return lengths

    def merge(self, index, into):
        joined = shapely.union(self.polygons[index], self.polygons[into], grid_size=1.0)
        if joined.geom_type != "Polygon":
            parts = [g for g in getattr(joined, "geoms", []) if g.geom_type == "Polygon"]
            joined = max(parts, key=lambda g: g.area) if parts else self.polygons[into]
        if self.polygons[index].area > self.polygons[into].area:
            self.colors[into] = self.colors[index]
        self.polygons[into] = joined
        self.parent[index] = into
        self.radius[into] = max(self.measure(into), self.radius[into], self.radius[index])

    def regions(self):
        return [i for i in self.polygons if self.find(i) == i]
