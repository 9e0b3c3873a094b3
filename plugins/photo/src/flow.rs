//! The direction of edges at every point, smoothed so that lines along it do not wobble (the smoothed structure tensor
//! of Kyprianidis and Döllner 2008).

use crate::plane::Plane;

/// Unit vectors along the edges.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) x: Plane,
    pub(crate) y: Plane,
}

/// Computes the flow. `sigma` is the width of the smoothing in working pixels.
pub(crate) fn flow(plane: &Plane, sigma: f32) -> Flow {
    let (width, height) = (plane.width, plane.height);
    let mut tensors = [(); 3].map(|()| Vec::with_capacity(width * height));
    for y in 0..height as isize {
        for x in 0..width as isize {
            let at = |dx: isize, dy: isize| plane.at(x + dx, y + dy);
            let across = at(1, -1) + 2.0 * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0 * at(-1, 0) - at(-1, 1);
            let down = at(-1, 1) + 2.0 * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0 * at(0, -1) - at(1, -1);
            tensors[0].push(across * across);
            tensors[1].push(across * down);
            tensors[2].push(down * down);
        }
    }
    let [xx, xy, yy] = tensors.map(|values| Plane::new(width, height, values).blurred(sigma));
    let (mut along_x, mut along_y) = (Vec::with_capacity(width * height), Vec::with_capacity(width * height));
    for index in 0..width * height {
        let (a, b, c) = (xx.values[index], xy.values[index], yy.values[index]);
        // The eigenvector of the smaller eigenvalue.
        let larger = 0.5 * (a + c + ((a - c) * (a - c) + 4.0 * b * b).sqrt());
        let (x, y) = (larger - a, -b);
        let length = x.hypot(y);
        let (x, y) = match (length > 1e-9, a >= c) {
            (true, _) => (x / length, y / length),
            (false, true) => (0.0, 1.0),
            (false, false) => (1.0, 0.0),
        };
        along_x.push(x);
        along_y.push(y);
    }
    Flow {
        x: Plane::new(width, height, along_x),
        y: Plane::new(width, height, along_y),
    }
}
