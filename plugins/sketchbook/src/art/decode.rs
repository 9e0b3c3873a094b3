//! Decoder of the data file that `art/extract.py` writes.
//!
//! Format after decompressing the gzip file: `LPSB`, a version and a grid size (u16, little endian), then the
//! drawings. Integers are LEB128; signed integers are zigzag-encoded. A drawing consists of its label, group byte,
//! collection byte and comma-separated tags; its regions (solid byte, pole x and y, radius, area / 64, red, green, blue); its meltings
//! (region, into, radius); and its arcs (left, right, then points as differences from the previous point).

use std::io::Read;

use flate2::read::GzDecoder;
use tiny_skia::Rect;

use super::reader::Reader;
use super::{Arc, Collection, Drawing, Melting, Region};
use crate::color::Rgb;

pub(super) fn drawings(data: &[u8]) -> Option<Vec<Drawing>> {
    let mut bytes = Vec::new();
    GzDecoder::new(data).read_to_end(&mut bytes).ok()?;
    let mut reader = Reader::new(&bytes)?;
    (0..reader.number()?).map(|_| reader.drawing()).collect()
}

impl Reader<'_> {
    fn measure(&mut self) -> Option<f32> {
        Some(self.number()? as f32)
    }

    fn drawing(&mut self) -> Option<Drawing> {
        let label = self.text()?;
        let group = self.byte()?;
        let collection = if self.byte()? == 0 {
            Collection::Fluent
        } else {
            Collection::Noto
        };
        let tags = self
            .text()?
            .split(',')
            .filter(|tag| !tag.is_empty())
            .map(String::from)
            .collect();
        let outside = Region {
            solid: false,
            pole: (0.0, 0.0),
            radius: 0.0,
            area: 0.0,
            color: Rgb::WHITE,
        };
        let mut regions = vec![outside];
        regions.extend(self.list(Self::region)?);
        let meltings = self.list(|reader| {
            Some(Melting {
                region: reader.number()?,
                into: reader.number()?,
                radius: reader.measure()?,
            })
        })?;
        let arcs = self.list(Self::arc)?;
        let bounds = bounds(&arcs)?;
        Some(Drawing {
            label,
            group,
            collection,
            tags,
            regions,
            meltings,
            arcs,
            bounds,
        })
    }

    fn region(&mut self) -> Option<Region> {
        Some(Region {
            solid: self.byte()? == 1,
            pole: (self.signed()? as f32, self.signed()? as f32),
            radius: self.measure()?,
            area: self.measure()? * 64.0,
            color: Rgb(self.byte()?, self.byte()?, self.byte()?),
        })
    }

    fn arc(&mut self) -> Option<Arc> {
        let (left, right) = (self.number()?, self.number()?);
        let mut at = (0, 0);
        let points = self.list(|reader| {
            at = (at.0 + reader.signed()?, at.1 + reader.signed()?);
            Some((at.0 as f32, at.1 as f32))
        })?;
        Some(Arc { left, right, points })
    }
}

fn bounds(arcs: &[Arc]) -> Option<Rect> {
    let points = arcs.iter().flat_map(|arc| &arc.points);
    let start = (f32::MAX, f32::MAX, f32::MIN, f32::MIN);
    let (left, top, right, bottom) =
        points.fold(start, |b, p| (b.0.min(p.0), b.1.min(p.1), b.2.max(p.0), b.3.max(p.1)));
    Rect::from_ltrb(left, top, right, bottom)
}
