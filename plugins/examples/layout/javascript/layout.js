// A layout that prints one drawing on each sheet, after a title page.

// The print formats, with the preferred format of each aspect first. Ids must differ from those of other layouts.
const FORMATS = [
  format("acme_quilt_square", "Quilt Square", "square", [215_900, 215_900], [1024, 1024], "square.typ"),
  format("acme_quilt_letter", "Quilt US Letter", "portrait", [215_900, 279_400], [1152, 1536], "letter.typ"),
  format("acme_quilt_landscape", "Quilt US Letter Landscape", "landscape", [279_400, 215_900], [1536, 1152], "landscape.typ"),
];

export const layout = {
  describe() {
    return {
      id: "acme.quilt",
      name: "Quilt",
      version: "0.1.0",
      formats: FORMATS,
      extra: [],
    };
  },

  // Arranges the pages of the book, starting with the first right-hand page. Backs are blank unless the book asks for
  // printed ones, because markers bleed through paper. The exception becomes the `layout-error` of the contract.
  layOut(book, formatId) {
    const format = FORMATS.find((format) => format.id === formatId);
    if (format?.aspect !== book.aspect) {
      throw { tag: "invalid", val: `${formatId} does not print books of this aspect` };
    }
    const hasPrintedBacks = book.extra.some(([name, value]) => name === "backs" && value === "printed");
    const back = hasPrintedBacks ? [] : [leaf("blank")];
    const sheets = book.drawings.flatMap((_, index) => [leaf("drawing", index), ...back]);
    return [leaf("title"), leaf("blank"), ...sheets];
  },
};

// A format without bleed. `trim` is the size of the paper in micrometers, and `pixels` that of a picture.
function format(id, name, aspect, trim, pixels, template) {
  const [trimWidth, trimHeight] = trim;
  const [width, height] = pixels;
  return { id, name, aspect, trimWidth, trimHeight, bleed: 0, recommended: { width, height }, template, extra: [] };
}

// A page. The template prints it by its kind.
function leaf(kind, drawing) {
  return { kind, drawing, extra: [] };
}
