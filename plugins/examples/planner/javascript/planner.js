// A planner that shows the theme at a different place and time on each page.
import { get } from "linepress:host/config@0.1.0";
import { write } from "linepress:host/log@0.1.0";

const PLACES = ["in the garden", "on a hill", "by the river", "at the market", "under an old tree"]
  .concat(["at the beach", "in the kitchen", "on a train", "at the pond", "in the tent"]);
const TIMES = ["at sunrise", "at noon", "in the rain", "with a picnic", "in the wind"]
  .concat(["with balloons", "with kites", "in the snow", "at sunset", "under the stars"]);

// The number of scenes: each place at each time.
const SCENES = PLACES.length * TIMES.length;

// The distance between the scenes of two pages. It has no common factor with SCENES, so that each scene occurs once.
const STEP = 37;

// The most characters of the theme that are in the title.
const MAX_TITLE_CHARS = 60;

export const planner = {
  describe() {
    return {
      id: "acme.quilt",
      name: "Quilt",
      version: "0.1.0",
      languages: ["en"],
      extra: [],
    };
  },

  // The same request gives the same plan, and a different seed a different one.
  plan(request) {
    const ending = endingOf(get());
    const theme = request.theme.trim();
    const names = request.characters.map((character) => character.name);
    const subject = names.length ? `${theme}, with ${names.join(" and ")}` : theme;
    const first = Number(request.seed % BigInt(SCENES));
    const earlier = earlierTitles(request);
    const pages = Array.from({ length: SCENES }, (_, index) => (first + index * STEP) % SCENES)
      .map((scene) => [PLACES[Math.floor(scene / TIMES.length)], TIMES[scene % TIMES.length]])
      .map(([place, time]) => ({
        title: `${place[0].toUpperCase()}${place.slice(1)}, ${time}`,
        prompt: `${subject}, ${place}, ${time}${ending}`,
        caption: "",
      }))
      .filter((page) => !earlier.has(page.title))
      .slice(0, request.pageCount);
    if (pages.length < request.pageCount) {
      throw { tag: "invalid", val: "the earlier volumes contain all scenes of this planner" };
    }
    write("debug", `a plan of ${pages.length} pages`);
    return {
      title: request.title ?? Array.from(theme).slice(0, MAX_TITLE_CHARS).join("").trim(),
      subtitle: "",
      description: `A coloring book of ${pages.length} pages about this theme: ${theme}`,
      coverPrompt: `${subject}${ending}`,
      pages,
      extra: [],
    };
  },
};

// The value `earlier` is there for each page of the earlier volumes of a series: its title, a line feed, and its prompt.
function earlierTitles(request) {
  const earlier = request.extra.filter(([name]) => name === "earlier");
  return new Set(earlier.map(([, value]) => value.split("\n")[0]));
}

// Reads the only setting, which config.json documents. The exception becomes the `plan-error` of the contract.
function endingOf(settings) {
  const { ending = "" } = JSON.parse(settings);
  if (typeof ending !== "string") {
    throw { tag: "unavailable", val: "the setting ending must be a text" };
  }
  return ending && `, ${ending}`;
}
