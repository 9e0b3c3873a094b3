//! Pages as SVG, for screens.
//!
//! SVG and no pixels: `typst-svg` is built anyway, as a part of `typst`, and lines stay sharp however close one looks. Of a
//! book's artwork it gets only the names: thirty million pixels a page are too many for a browser, and whoever shows the page
//! has smaller pictures.
use typst::foundations::Bytes;
use typst::layout::{Frame, FrameItem, GroupItem};
use typst::utils::hash128;
use typst::visualize::{Image, ImageKind, PixelEncoding, PixelFormat, RasterImage};
use typst_layout::Page;
use typst_svg::{SvgOptions, WebImage};

/// What stands before the name of artwork where a page shows it.
pub const ARTWORK: &str = "linepress-artwork:";

/// The book's artwork, and what stands for it in a page that is being written.
pub(super) struct Artwork(Vec<Piece>);

struct Piece {
    /// Its name, as templates know it.
    name: String,
    hash: u128,
    placeholder: Image,
    /// How `typst-svg` writes the placeholder.
    url: String,
}

impl Artwork {
    /// Of the files of a job, those that are PDFs.
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

    /// The page with its bleed. Where it shows artwork, it names it after [`ARTWORK`].
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

    /// Whether a picture is one of the book's.
    pub(super) fn has(&self, image: &Image) -> bool {
        self.find(image).is_some()
    }

    fn find(&self, image: &Image) -> Option<usize> {
        let ImageKind::Pdf(pdf) = image.kind() else { return None };
        let hash = hash128(pdf.document().pdf().data().as_ref());
        self.0.iter().position(|piece| piece.hash == hash)
    }
}

/// A picture that no template holds: one pixel high, and of another width each.
fn placeholder(index: usize) -> Option<RasterImage> {
    let width = u32::try_from(index).ok()?.checked_add(1)?;
    let format = PixelFormat {
        encoding: PixelEncoding::Luma8,
        width,
        height: 1,
    };
    RasterImage::plain(Bytes::new(vec![0; width as usize]), format).ok()
}
