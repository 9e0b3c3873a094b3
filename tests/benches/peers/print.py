"""The peers of `print`: img2pdf, Typst, WeasyPrint and ReportLab make a book of stored drawings.
They answer line by line.

    folder <folder> <count>     the drawings: 001.g4.tiff and 001.png, and so on
    <tool> <number>             makes a book with the number in its captions; prints milliseconds of CPU time,
                                milliseconds of wall-clock time, and bytes

img2pdf-command is the img2pdf program, a process for each book; the other tools run in this process. Each tool gets its
best input: img2pdf one-bit TIFF with CCITT Group 4, which it copies, and the others gray PNG.
"""

import io
import os
import resource
import subprocess
import sys
import time

import img2pdf
import typst
import weasyprint
from reportlab.pdfgen import canvas

INCH = 72
WIDTH, HEIGHT = 8.5 * INCH, 11 * INCH
DRAWING = (7.375 * INCH, 7.375 * 4 / 3 * INCH)
LEFT, BOTTOM = 0.625 * INCH, 0.6 * INCH

folder, count = "", 0


def files(end):
    return [os.path.join(folder, f"{index:03}.{end}") for index in range(1, count + 1)]


def by_img2pdf(_number):
    layout = img2pdf.get_layout_fun((WIDTH, HEIGHT), imgsize=[(img2pdf.ImgSize.abs, side) for side in DRAWING])
    return img2pdf.convert(files("g4.tiff"), layout_fun=layout)


def by_img2pdf_command(_number):
    size = [f"{side}pt" for side in (WIDTH, HEIGHT, *DRAWING)]
    options = ["--pagesize", "x".join(size[:2]), "--imgsize", "x".join(size[2:])]
    program = [sys.executable, "-m", "img2pdf"]
    return subprocess.run([*program, *options, *files("g4.tiff")], check=True, stdout=subprocess.PIPE).stdout


def by_typst(number):
    pages = "#pagebreak()\n".join(
        f'#align(center + horizon)[#image("{index:03}.png", width: 7.375in)]\nDrawing {index} of book {number}\n'
        for index in range(1, count + 1)
    )
    source = f'#set page(width: 8.5in, height: 11in, margin: 0.5in)\n{pages}'
    path = os.path.join(folder, "book.typ")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    return typst.compile(path)


def by_weasyprint(number):
    pages = "".join(
        f'<section><img src="{index:03}.png"><p>Drawing {index} of book {number}</p></section>'
        for index in range(1, count + 1)
    )
    style = (
        "<style>@page { size: 8.5in 11in; margin: 0.5in } section { break-after: page; text-align: center }"
        " img { width: 7.3in }</style>"
    )
    return weasyprint.HTML(string=style + pages, base_url=folder + "/").write_pdf()


def by_reportlab(number):
    buffer = io.BytesIO()
    book = canvas.Canvas(buffer, pagesize=(WIDTH, HEIGHT))
    for index, file in enumerate(files("png"), 1):
        book.drawImage(file, LEFT, BOTTOM, *DRAWING)
        book.drawCentredString(WIDTH / 2, 0.4 * INCH, f"Drawing {index} of book {number}")
        book.showPage()
    book.save()
    return buffer.getvalue()


def processor_time():
    """Returns CPU seconds, including those of child processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


TOOLS = {
    "img2pdf-command": by_img2pdf_command,
    "img2pdf": by_img2pdf,
    "typst": by_typst,
    "weasyprint": by_weasyprint,
    "reportlab": by_reportlab,
}

for line in sys.stdin:
    word, argument, *rest = line.split()
    if word == "folder":
        folder, count = argument, int(rest[0])
        print("ready", flush=True)
        continue
    busy, began = processor_time(), time.perf_counter()
    made = TOOLS[word](argument)
    print((processor_time() - busy) * 1000, (time.perf_counter() - began) * 1000, len(made), flush=True)
