//! Small gaps between strokes, found, so that a color cannot run out of its shape.
use crate::bitmap::Bitmap;
use crate::distance::Distances;
use crate::gray::Gray;
use crate::labels::{Labels, NONE, label_map};

/// The bridges that close a drawing's small gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bridges {
    /// The pixels that part two shapes once they are ink, as x and y.
    pub pixels: Vec<(u32, u32)>,
    /// How many gaps they close.
    pub gaps: u32,
}

/// Finds the gaps of up to `gap` pixels through which two shapes of about `smallest` pixels or more run together.
///
/// A ball a little wider than the gap is rolled through the paper: the rooms it can reach are the shapes as an eye
/// sees them. The rooms then grow back, and where two of them meet there was a gap. (A morphological closing would
/// blot sharp corners, and never close a gap between the ends of two thin strokes.)
pub fn find_gaps(bitmap: &Bitmap, gap: f32, smallest: u64) -> Bridges {
    let (width, height) = (bitmap.width(), bitmap.height());
    let ink = ink_mask(bitmap);
    let to_ink = Distances::to(width, height, |index| ink[index]);
    // The middle of a gap of g pixels is (g + 1) / 2 from the ink on either side.
    let reach = (gap + 1.0) / 2.0;
    let rooms: Vec<bool> = (0..ink.len()).map(|index| to_ink.at(index) > reach).collect();
    let rooms = mask_bitmap(&rooms, width, height);
    let labels = Labels::of(&rooms, false);
    let mut room_of = label_map(&rooms, &labels);
    // The ball keeps its distance from the walls, so a room is smaller than its shape.
    let smallest_room = smallest / 8;
    for room in &mut room_of {
        if *room != NONE && labels.area(*room) < smallest_room {
            *room = NONE;
        }
    }
    // Two rooms joined by a long corridor, such as a stem between two lines, are one shape to the eye.
    let longest_way = (gap * 2.0) as u32 + 6;
    let meeting = grow(&mut room_of, &ink, (width, height), longest_way);
    let bridges = mask_bitmap(&meeting, width, height);
    let gaps = u32::try_from(Labels::of(&bridges, true).areas().len()).expect("fewer gaps than pixels");
    let pixels = (0..meeting.len())
        .filter(|&index| meeting[index])
        .map(|index| {
            let index = u32::try_from(index).expect("a picture of fewer than 2^32 pixels");
            (index % width, index / width)
        })
        .collect();
    Bridges { pixels, gaps }
}

/// Grows every room over the paper around it, and returns where two rooms meet at most `longest_way` steps out.
fn grow(room_of: &mut [u32], ink: &[bool], (width, height): (u32, u32), longest_way: u32) -> Vec<bool> {
    let mut meeting = vec![false; ink.len()];
    let mut front: Vec<usize> = (0..ink.len()).filter(|&index| room_of[index] != NONE).collect();
    for _ in 0..longest_way {
        let mut next = Vec::new();
        for &index in &front {
            for neighbour in neighbours(index, width, height).filter(|&neighbour| !ink[neighbour]) {
                if room_of[neighbour] == NONE {
                    room_of[neighbour] = room_of[index];
                    next.push(neighbour);
                } else if room_of[neighbour] != room_of[index] {
                    meeting[index] = true;
                }
            }
        }
        front = next;
    }
    meeting
}

pub(crate) fn ink_mask(bitmap: &Bitmap) -> Vec<bool> {
    let width = bitmap.width() as usize;
    let mut mask = vec![false; width * bitmap.height() as usize];
    for (y, row) in bitmap.rows().enumerate() {
        for run in row {
            mask[y * width..][run.start as usize..run.end as usize].fill(true);
        }
    }
    mask
}

fn mask_bitmap(mask: &[bool], width: u32, height: u32) -> Bitmap {
    let pixels = mask.iter().map(|&ink| if ink { 0 } else { 255 }).collect();
    Bitmap::threshold(&Gray::new(width, height, pixels), 128)
}

fn neighbours(index: usize, width: u32, height: u32) -> impl Iterator<Item = usize> {
    let (row, last) = (width as usize, width as usize * height as usize);
    let column = index % row;
    [
        (column > 0).then(|| index - 1),
        (column + 1 < row).then(|| index + 1),
        (index >= row).then(|| index - row),
        (index + row < last).then(|| index + row),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square frame of strokes, whose right side is open for `gap` pixels.
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
    fn a_wide_opening_is_the_artists_own() {
        assert_eq!(find_gaps(&open_frame(4, 9), 6.0, 150), Bridges::default());
    }

    #[test]
    fn corners_and_closed_shapes_stay_as_they_are() {
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
