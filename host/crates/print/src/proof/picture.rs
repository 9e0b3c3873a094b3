//! Pages as SVG, for screens.
//!
//! SVG rather than pixels: `typst-svg` is built anyway as a part of `typst`, and lines stay sharp at any zoom. The SVG
//! contains only the names of the book's artwork: thirty million pixels per page are too many for a browser, and the
//! viewer has smaller pictures.
use typst::foundations::Bytes;
use typst::layout::{Frame, FrameItem, GroupItem};
use typst::utils::hash128;
use typst::visualize::{Image, ImageKind, PixelEncoding, PixelFormat, RasterImage};
use typst_layout::Page;
use typst_svg::{SvgOptions, WebImage};

/// The prefix before the name of a piece of artwork in an SVG page.
pub const ARTWORK: &str = "linepress-artwork:";

/// The book's artwork, with a placeholder for each piece while a page is written as SVG.
pub(super) struct Artwork(Vec<Piece>);

struct Piece {
    /// The path of the artwork in the world of a template.
    name: String,
    hash: u128,
    placeholder: Image,
    /// The placeholder as `typst-svg` writes it.
    url: String,
}

impl Artwork {
    /// Collects the PDFs among the files of a job.
    pub(super) fn new(files: &[(String, Vec<u8>)]) -> Self {
        let pdfs = files.iter().filter(|(name, _)| name.ends_with(".pdf"));
        let piece = |(index, (name, bytes)): (usize, &(String, Vec<u8>))| {
            let placeholder = Image::plain(placeholder(index)?);
            Some(Piece {
                name: name.clone(),
                hash: hash128(bytes.as_slice()),
                url: WebImage::new(&placeholder).to_base64_url().to_string(),
                placeholder,
            })
        };
        Self(pdfs.enumerate().filter_map(piece).collect())
    }

    /// Returns the page with its bleed as SVG. Each piece of artwork is replaced by its name after [`ARTWORK`].
    pub(super) fn picture(&self, page: &Page) -> String {
        let mut shown = Vec::new();
        let mut page = page.clone();
        page.frame = self.replaced(&page.frame, &mut shown);
        let options = SvgOptions {
            render_bleed: true,
            pretty: false,
        };
        let mut svg = typst_svg::svg(&page, &options);
        shown.sort_unstable();
        shown.dedup();
        for piece in shown.into_iter().filter_map(|index| self.0.get(index)) {
            svg = svg.replace(&piece.url, &format!("{ARTWORK}{}", piece.name));
        }
        svg
    }

    fn replaced(&self, frame: &Frame, shown: &mut Vec<usize>) -> Frame {
        let mut replaced = Frame::new(frame.size(), frame.kind());
        for (point, item) in frame.items() {
            let item = match item {
                FrameItem::Group(group) => FrameItem::Group(GroupItem {
                    frame: self.replaced(&group.frame, shown),
                    ..group.clone()
                }),
                FrameItem::Image(image, size, span) => match self.find(image) {
                    Some(index) => {
                        shown.push(index);
                        FrameItem::Image(self.0[index].placeholder.clone(), *size, *span)
                    }
                    None => item.clone(),
                },
                _ => item.clone(),
            };
            replaced.push(*point, item);
        }
        replaced
    }

    /// Returns true when a picture is one of the book's drawings or its cover.
    pub(super) fn has(&self, image: &Image) -> bool {
        self.find(image).is_some()
    }

    fn find(&self, image: &Image) -> Option<usize> {
        let ImageKind::Pdf(pdf) = image.kind() else { return None };
        let hash = hash128(pdf.document().pdf().data().as_ref());
        self.0.iter().position(|piece| piece.hash == hash)
    }
}

/// Returns a picture that no template contains: one pixel high, with a width that is different for each index.
fn placeholder(index: usize) -> Option<RasterImage> {
    let width = u32::try_from(index).ok()?.checked_add(1)?;
    let format = PixelFormat {
        encoding: PixelEncoding::Luma8,
        width,
        height: 1,
    };
    RasterImage::plain(Bytes::new(vec![0; width as usize]), format).ok()
}
