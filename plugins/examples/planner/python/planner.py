"""A planner that shows the theme at a different place and time on each page."""

import json

from wit_world import exports
from wit_world.exports.planner import (
    BookPlan,
    Description,
    PageConcept,
    PlanError_Invalid,
    PlanError_Unavailable,
    PlanRequest,
)
from wit_world.imports import config, log
from componentize_py_types import Err

PLACES = [
    "in the garden",
    "on a hill",
    "by the river",
    "at the market",
    "under an old tree",
    "at the beach",
    "in the kitchen",
    "on a train",
    "at the pond",
    "in the tent",
]
TIMES = [
    "at sunrise",
    "at noon",
    "in the rain",
    "with a picnic",
    "in the wind",
    "with balloons",
    "with kites",
    "in the snow",
    "at sunset",
    "under the stars",
]

# The number of scenes: each place at each time.
SCENES = len(PLACES) * len(TIMES)

# The distance between the scenes of two pages. It has no common factor with SCENES, so that each scene occurs once.
STEP = 37

# The most characters of the theme that are in the title.
MAX_TITLE_CHARS = 60


class Planner(exports.Planner):
    def describe(self) -> Description:
        return Description(
            id="acme.quilt",
            name="Quilt",
            version="0.1.0",
            languages=["en"],
            extra=[],
        )

    def plan(self, request: PlanRequest) -> BookPlan:
        """Plans a book. The same request gives the same plan, and a different seed a different one."""
        ending = ending_of(config.get())
        theme = request.theme.strip()
        names = [character.name for character in request.characters]
        subject = f"{theme}, with {' and '.join(names)}" if names else theme
        scenes = [(request.seed + index * STEP) % SCENES for index in range(SCENES)]
        pages = [
            page(subject, PLACES[scene // len(TIMES)], TIMES[scene % len(TIMES)], ending)
            for scene in scenes
        ]
        earlier = earlier_titles(request)
        pages = [page for page in pages if page.title not in earlier][: request.page_count]
        if len(pages) < request.page_count:
            raise Err(PlanError_Invalid("the earlier volumes contain all scenes of this planner"))
        log.write(log.Level.DEBUG, f"a plan of {len(pages)} pages")
        return BookPlan(
            title=request.title or theme[:MAX_TITLE_CHARS].strip(),
            subtitle="",
            description=f"A coloring book of {len(pages)} pages about this theme: {theme}",
            cover_prompt=subject + ending,
            pages=pages,
            extra=[],
        )


def page(subject: str, place: str, time: str, ending: str) -> PageConcept:
    return PageConcept(
        title=f"{place.capitalize()}, {time}",
        prompt=f"{subject}, {place}, {time}{ending}",
        caption="",
    )


def earlier_titles(request: PlanRequest) -> set[str]:
    """The value `earlier` is there for each page of the earlier volumes: its title, a line feed, and its prompt."""
    return {value.split("\n")[0] for name, value in request.extra if name == "earlier"}


def ending_of(settings: str) -> str:
    """Reads the only setting, which config.json documents."""
    ending = json.loads(settings).get("ending", "")
    if not isinstance(ending, str):
        raise Err(PlanError_Unavailable("the setting ending must be a text"))
    return f", {ending}" if ending else ""
