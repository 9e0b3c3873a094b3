//! Detection of small gaps between strokes, which would let a color run out of its shape.
use crate::bitmap::{Bitmap, Run};
use crate::bits::Bits;
use crate::labels::Labels;

/// The bridges that close the small gaps of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bridges {
    /// The pixels that separate two shapes when they become ink, as x and y.
    pub pixels: Vec<(u32, u32)>,
    /// The number of gaps that the bridges close.
    pub gaps: u32,
}

/// Finds the gaps of up to `gap` pixels through which two shapes of about `smallest` pixels or more are connected.
///
/// A ball slightly wider than the gap is rolled through the paper: the rooms that it can reach are the shapes as a
/// person sees them. The rooms then grow back, and there is a gap where two of them meet. (A morphological closing
/// would fill sharp corners, and would never close a gap between the ends of two thin strokes.)
pub fn find_gaps(bitmap: &Bitmap, gap: f32, smallest: u64) -> Bridges {
    // The middle of a gap of g pixels is (g + 1) / 2 pixels from the ink on either side.
    let clear = Bits::clear_of_ink(bitmap, (gap + 1.0) / 2.0);
    let rooms = clear.to_bitmap();
    let labels = Labels::of(&rooms, false);
    // The ball stays away from the walls, so a room is smaller than its shape.
    let smallest_room = smallest / 8;
    if labels.areas().iter().filter(|&&area| area >= smallest_room).count() < 2 {
        return Bridges::default();
    }
    let mut map = Map::of_ink(bitmap);
    let mut index = 0;
    for (y, row) in rooms.rows().enumerate() {
        for run in row {
            let label = labels.of_run(index);
            if labels.area(label) >= smallest_room {
                map.fill(y, run, label);
            }
            index += 1;
        }
    }
    // Two rooms that are connected by a long corridor, such as a stem between two lines, look like one shape.
    let longest_way = (gap * 2.0) as u32 + 6;
    let mut meeting = map.grow(&clear.outline().to_bitmap(), longest_way);
    meeting.sort_unstable();
    let pixels: Vec<(u32, u32)> = meeting.into_iter().map(|index| map.place(index)).collect();
    let mut bridges = Bitmap::blank(bitmap.width(), bitmap.height());
    bridges.paint(pixels.iter().map(|&(x, y)| (y, x, x + 1)).collect());
    let gaps = u32::try_from(Labels::of(&bridges, true).areas().len()).expect("fewer gaps than pixels");
    Bridges { pixels, gaps }
}

/// Paper that no room has reached yet.
const FREE: u32 = u32::MAX;
/// Ink, and the frame around the picture, into which no room grows.
const WALL: u32 = u32::MAX - 1;

/// The room of every pixel, framed by walls so that each pixel has four neighbors.
struct Map {
    stride: usize,
    room_of: Vec<u32>,
}

impl Map {
    fn of_ink(bitmap: &Bitmap) -> Self {
        let (width, height) = (bitmap.width() as usize, bitmap.height() as usize);
        let stride = width + 2;
        let mut map = Self {
            stride,
            room_of: vec![FREE; stride * (height + 2)],
        };
        map.room_of[..stride].fill(WALL);
        map.room_of[stride * (height + 1)..].fill(WALL);
        for line in map.room_of.chunks_exact_mut(stride) {
            (line[0], line[width + 1]) = (WALL, WALL);
        }
        for (y, row) in bitmap.rows().enumerate() {
            for run in row {
                map.fill(y, run, WALL);
            }
        }
        map
    }

    fn fill(&mut self, y: usize, run: &Run, room: u32) {
        let line = (y + 1) * self.stride + 1;
        self.room_of[line + run.start as usize..line + run.end as usize].fill(room);
    }

    /// The x and y of a pixel.
    fn place(&self, index: usize) -> (u32, u32) {
        let whole = |number: usize| u32::try_from(number).expect("a picture's sides are 32-bit numbers");
        (whole(index % self.stride - 1), whole(index / self.stride - 1))
    }

    /// Grows every room from its outline over the paper around it, by at most `longest_way` steps. Returns the indices
    /// of the pixels where two rooms meet.
    fn grow(&mut self, outlines: &Bitmap, longest_way: u32) -> Vec<usize> {
        let mut meeting = Vec::new();
        let mut front: Vec<usize> = Vec::new();
        for (y, row) in outlines.rows().enumerate() {
            let line = (y + 1) * self.stride + 1;
            let indices = row
                .iter()
                .flat_map(|run| line + run.start as usize..line + run.end as usize);
            // Rooms that are too small are not part of the map.
            front.extend(indices.filter(|&index| self.room_of[index] != FREE));
        }
        for _ in 0..longest_way {
            let mut next = Vec::new();
            for &index in &front {
                let room = self.room_of[index];
                let mut meets = false;
                for neighbour in [index - 1, index + 1, index - self.stride, index + self.stride] {
                    match self.room_of[neighbour] {
                        FREE => {
                            self.room_of[neighbour] = room;
                            next.push(neighbour);
                        }
                        WALL => {}
                        other => meets |= other != room,
                    }
                }
                if meets {
                    meeting.push(index);
                }
            }
            front = next;
        }
        meeting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gray::Gray;

    /// A square frame of strokes, with an opening of `gap` pixels on its right side.
    fn open_frame(thickness: u32, gap: u32) -> Bitmap {
        let pixels = (0..120_u32 * 120)
            .map(|index| {
                let (x, y) = (index % 120, index / 120);
                let inside = |low: u32, value: u32| (low..120 - low).contains(&value);
                let frame = inside(20, x) && inside(20, y) && !(inside(20 + thickness, x) && inside(20 + thickness, y));
                let hole = x > 60 && (60..60 + gap).contains(&y);
                if frame && !hole { 0 } else { 255 }
            })
            .collect();
        Bitmap::threshold(&Gray::new(120, 120, pixels), 128)
    }

    fn shapes(bitmap: &Bitmap) -> usize {
        Labels::of(&bitmap.inverted(), false).areas().len()
    }

    fn closed(bitmap: &Bitmap) -> (u32, usize) {
        let bridges = find_gaps(bitmap, 6.0, 150);
        let mut closed = bitmap.clone();
        closed.stamp(&bridges.pixels, 1.0, 1.0);
        (bridges.gaps, shapes(&closed))
    }

    #[test]
    fn a_small_gap_is_closed_whether_strokes_are_thick_or_thin() {
        for thickness in [1, 2, 4, 9] {
            for gap in [1, 3, 6] {
                let open = open_frame(thickness, gap);
                assert_eq!(shapes(&open), 1);
                assert_eq!(closed(&open), (1, 2), "{thickness} {gap}");
            }
        }
    }

    #[test]
    fn a_wide_opening_stays_open() {
        assert_eq!(find_gaps(&open_frame(4, 9), 6.0, 150), Bridges::default());
    }

    #[test]
    fn corners_and_closed_shapes_need_no_bridges() {
        assert_eq!(find_gaps(&open_frame(4, 0), 6.0, 150), Bridges::default());
    }

    #[test]
    fn a_narrow_stem_between_two_shapes_is_not_cut() {
        // Two chambers joined by a corridor 4 pixels wide and 40 long.
        let pixels = (0..200_u32 * 60)
            .map(|index| {
                let (x, y) = (index % 200, index / 200);
                let room = (10..50).contains(&y) && ((10..80).contains(&x) || (120..190).contains(&x));
                let corridor = (28..32).contains(&y) && (80..120).contains(&x);
                let walls = (6..54).contains(&y) && (6..194).contains(&x);
                if walls && !room && !corridor { 0 } else { 255 }
            })
            .collect();
        let picture = Bitmap::threshold(&Gray::new(200, 60, pixels), 128);
        assert_eq!(find_gaps(&picture, 6.0, 150), Bridges::default());
    }
}
