"""The peer of `prepare`: OpenCV, and libtiff through Pillow. It answers line by line, so that
only its work is timed.

    read <file>     prints the number of bytes of the picture and the master made from it
    time <count>    makes them this number of times and prints the CPU milliseconds for each

It takes the same steps: shading, specks and pinholes, enlargement to print size with a cubic filter and a threshold, the
picture for the screen with measurements of its gaps, strokes and regions, PNG and CCITT Group 4. Specks are removed before
the enlargement, while there are few pixels.
"""

import io
import sys
import time

import cv2
import numpy as np
from PIL import Image

cv2.setNumThreads(1)
SHOWN, PRINTED = (1152, 1536), (4800, 6400)
PER_MILLIMETER = 1152 / 187


def without_small(mask, area, connectivity):
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    small = stats[:, cv2.CC_STAT_AREA] < area
    small[0] = False
    if small.any():
        mask = np.where(small[labels], 0, mask).astype(np.uint8)
    return mask


def gaps(ink):
    """Returns the number of pixels between regions that are separated only by a gap too narrow for a ball."""
    away = cv2.distanceTransform(255 - ink, cv2.DIST_L2, 5)
    gap = 1.2 * PER_MILLIMETER
    rooms = (away > (gap + 1) / 2).astype(np.uint8)
    _, labels = cv2.connectedComponents(rooms, connectivity=4)
    near, nearest = cv2.distanceTransformWithLabels(1 - rooms, cv2.DIST_L1, 3, labelType=cv2.DIST_LABEL_PIXEL)
    seeds = np.zeros(nearest.max() + 1, np.int32)
    seeds[nearest[rooms > 0]] = labels[rooms > 0]
    grown = seeds[nearest]
    free = (near < 2 * gap + 6) & (ink == 0)
    across = (grown[:, 1:] != grown[:, :-1]) & free[:, 1:] & free[:, :-1]
    down = (grown[1:] != grown[:-1]) & free[1:] & free[:-1]
    return int(across.sum() + down.sum())


def measured(ink):
    deep = cv2.distanceTransform(ink, cv2.DIST_L2, 5)
    ridge = (deep > 0) & (deep >= cv2.dilate(deep, np.ones((3, 3), np.uint8)))
    strokes = deep[ridge] * 2 - 1
    _, labels, stats, _ = cv2.connectedComponentsWithStats(255 - ink, connectivity=4)
    away = cv2.distanceTransform(255 - ink, cv2.DIST_L2, 5)
    wide = np.zeros(len(stats), bool)
    wide[labels[away > (3 * PER_MILLIMETER + 1) / 2]] = True
    areas = stats[1:, cv2.CC_STAT_AREA]
    return cv2.countNonZero(ink), strokes.max(), np.median(strokes), (areas < 150).sum(), areas.max(), wide.sum()


def prepared(file):
    gray = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_GRAYSCALE)
    window = np.ones((5, 5), np.uint8)
    contrast = cv2.subtract(cv2.dilate(gray, window), cv2.erode(gray, window))
    cv2.countNonZero(cv2.bitwise_and(cv2.inRange(gray, 30, 220), cv2.inRange(contrast, 0, 95)))
    ink = cv2.threshold(gray, 127, 255, cv2.THRESH_BINARY_INV)[1]
    clean = without_small(ink, 9, 8)
    clean = 255 - without_small(255 - clean, 4, 4)
    gray[(clean == 0) & (ink > 0)] = 255
    gray[(clean > 0) & (ink == 0)] = 0
    large = cv2.resize(gray, PRINTED, interpolation=cv2.INTER_CUBIC)
    large = cv2.threshold(large, 127, 255, cv2.THRESH_BINARY)[1]
    shown = cv2.resize(large, SHOWN, interpolation=cv2.INTER_AREA)
    ink = cv2.threshold(shown, 127, 255, cv2.THRESH_BINARY_INV)[1]
    gaps(ink)
    measured(ink)
    picture = cv2.imencode(".png", shown)[1]
    master = io.BytesIO()
    bits = np.packbits(large > 0, axis=1)
    Image.frombytes("1", PRINTED, bits.tobytes()).save(master, "TIFF", compression="group4")
    return len(picture) + len(master.getvalue())


file = b""
for line in sys.stdin:
    word, argument = line.split()
    if word == "read":
        file = open(argument, "rb").read()
        answer = prepared(file)
    elif word == "time":
        count = int(argument)
        began = time.process_time()
        for _ in range(count):
            prepared(file)
        answer = (time.process_time() - began) * 1000 / count
    print(answer, flush=True)
