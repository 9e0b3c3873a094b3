"""The peer of `normalise`: libvips, through pyvips. It answers line by line, so that only its work is timed.

    write <raw pixels> <width> <height> <file>    makes a JPEG of RGB bytes
    read <file>                                   prints the size of the PNG made from it
    time <count>                                  makes that PNG this number of times and prints milliseconds for each
    threads                                       prints the number of threads that libvips uses
"""

import sys
import time

import pyvips

# Otherwise libvips would return the first picture from its cache.
pyvips.cache_set_max(0)


def normalised(file):
    # Opened for sequential access, shrunk while it is decoded, and turned upright.
    image = pyvips.Image.thumbnail_buffer(file, 1536, height=1152)
    if image.hasalpha():
        image = image.flatten(background=255)
    image = image.colourspace("b-w")
    if (image.width, image.height) != (1536, 1152):
        image = image.gravity("centre", 1536, 1152, extend="white")
    # Level 3 takes less time than the default of 6 and gives a file of the same size.
    return image.pngsave_buffer(compression=3, keep="none")


file = b""
for line in sys.stdin:
    word, *arguments = line.split()
    answer = ""
    if word == "write":
        source, width, height, target = arguments
        pixels = open(source, "rb").read()
        image = pyvips.Image.new_from_memory(pixels, int(width), int(height), 3, "uchar")
        image.copy(interpretation="srgb").jpegsave(target, Q=90, subsample_mode="on")
    elif word == "read":
        file = open(arguments[0], "rb").read()
        answer = len(normalised(file))
    elif word == "time":
        count = int(arguments[0])
        began = time.perf_counter()
        for _ in range(count):
            normalised(file)
        answer = (time.perf_counter() - began) * 1000 / count
    elif word == "threads":
        answer = pyvips.vips_lib.vips_concurrency_get()
    print(answer, flush=True)
