"""A reviewer that refuses prompts with certain words, and has an almost empty page drawn once more."""

import json
import re

from wit_world import exports
from wit_world.exports.review import (
    Description,
    Picture,
    PictureReview,
    Prompt,
    PromptReview,
    ReviewError_Unavailable,
    Verdict_Pass,
    Verdict_Redraw,
)
from wit_world.imports import config, log
from componentize_py_types import Err

# The words that are refused unless the settings name others.
WORDS = ["gun"]

# The size below which the PNG of a page shows almost nothing, in bytes per 1,000 pixels. An empty page has fewer than
# 8, a drawing about 50.
MIN_BYTES_PER_1000_PIXELS = 8

# What the picture must show, for the image provider.
HINT = "The picture was almost empty: draw the subject large, with a background that fills the page."


class Review(exports.Review):
    def describe(self) -> Description:
        return Description(
            id="acme.quilt",
            name="Quilt",
            version="0.1.0",
            extra=[],
        )

    def review_prompt(self, prompt: Prompt) -> PromptReview:
        refusal = refusal_of(prompt, words_of(config.get()))
        if refusal is not None:
            log.write(log.Level.DEBUG, "a prompt is refused")
        # A reviewer that asks a model also names `model` and `cost-usd` in `extra`.
        return PromptReview(refusal=refusal, extra=[])

    def review_picture(self, picture: Picture) -> PictureReview:
        """The server takes another redraw of a picture as a pass."""
        is_redraw = not picture.redrawn and is_almost_empty(picture.image.bytes)
        return PictureReview(verdict=Verdict_Redraw(HINT) if is_redraw else Verdict_Pass(), extra=[])


def refusal_of(prompt: Prompt, words: list[str]) -> str | None:
    """The sentence for the customer if the prompt or the title contains one of the words."""
    parts = re.split(r"[\s!-/:-@\[-`{-~]+", f"{prompt.title} {prompt.text}".lower())
    word = next((part for part in parts if part and part in words), None)
    return f"Please leave this word out: {word}." if word else None


def is_almost_empty(image: bytes) -> bool:
    """Line art is a PNG, whose size grows with the lines. A cover in color may be a JPEG, and passes. A reviewer that
    looks at the lines themselves decodes the picture first: `zlib` reads the rows of a PNG."""
    if len(image) < 24 or not image.startswith(b"\x89PNG"):
        return False
    pixels = int.from_bytes(image[16:20], "big") * int.from_bytes(image[20:24], "big")
    return len(image) * 1000 < pixels * MIN_BYTES_PER_1000_PIXELS


def words_of(settings: str) -> list[str]:
    """Reads the only setting, which config.json documents."""
    words = json.loads(settings).get("words", WORDS)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Err(ReviewError_Unavailable("the setting words must be a list of words"))
    return [word.lower() for word in words]
