//! Connected parts of a picture, whose pixels are given by their indices.

/// The pixels that are connected with `start`, and `start` itself; marks them as seen. `near` returns the pixels next to
/// one that belong to the same part.
pub(crate) fn part<Near>(start: usize, seen: &mut [bool], near: impl Fn(usize) -> Near) -> Vec<usize>
where
    Near: IntoIterator<Item = usize>,
{
    let mut part = vec![start];
    seen[start] = true;
    let mut next = 0;
    while let Some(index) = part.get(next).copied() {
        next += 1;
        for near in near(index) {
            if !seen[near] {
                seen[near] = true;
                part.push(near);
            }
        }
    }
    part
}

/// The pixels beside, above and below one, within a picture of this width and height.
pub(crate) fn beside((width, height): (usize, usize), index: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (index % width, index / width);
    let near = [
        (x > 0).then(|| index - 1),
        (x + 1 < width).then(|| index + 1),
        (y > 0).then(|| index - width),
        (y + 1 < height).then(|| index + width),
    ];
    near.into_iter().flatten()
}
