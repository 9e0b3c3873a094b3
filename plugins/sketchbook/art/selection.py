"""The selection of drawings from the two emoji sets and from own/."""

import re
from pathlib import Path

# Emojibase group numbers: people, animals and plants, food, places and vehicles, activities, objects.
GROUPS = {1, 3, 4, 5, 6, 7}
# Subgroups to leave out: signs, gestures, lettering, clock faces, and subjects that are not for children.
SUBGROUPS_LEFT_OUT = {16, 17, 18, 19, 20, 24, 31, 52, 70, 73, 80, 82}

FROM_OTHER_GROUPS = {
    "ghost", "alien", "robot", "clown face", "alien monster", "goblin", "ogre", "red heart", "heart with ribbon",
    "heart with arrow", "two hearts", "love letter", "baby symbol", "sparkling heart", "trident emblem", "fleur-de-lis",
    "coin", "money bag", "treasure chest", "moai", "abacus", "headphone", "footprints",
}
LEFT_OUT = set("""
wilted flower|cockroach|microbe|mosquito|pig nose|globe with meridians|map of Japan|landslide|stadium|construction
building construction|derelict house|Japanese post office|love hotel|convenience store|foggy|bridge at night|hot springs
sake|wine glass|beer mug|clinking beer mugs|clinking glasses|tumbler glass|cocktail glass|bottle with popping cork
oil drum|stop sign|motorway|railway track|hourglass not done|bomb|dagger|crossed swords|broken chain|chains|water pistol
slot machine|joker|mahjong red dragon|spade suit|club suit|diamond suit|heart suit|pool 8 ball|reminder ribbon|red envelope
military helmet|prayer beads|briefs|bikini|thong sandal|level slider|control knobs|muted speaker|speaker low volume
speaker medium volume|speaker high volume|bell with slash|telephone receiver|yen banknote|dollar banknote|euro banknote
pound banknote|money with wings|credit card|receipt|chart increasing with yen|inbox tray|outbox tray|incoming envelope
e-mail|envelope with arrow|ballot box with ballot|file folder|open file folder|card index dividers|calendar|tear-off calendar
spiral calendar|card index|chart increasing|chart decreasing|card file box|file cabinet|locked with pen|locked with key
hammer and pick|mobile phone with arrow|videocassette|film frames|newspaper|rolled-up newspaper|bookmark tabs|label
elevator|toilet|plunger|mouse trap|razor|roll of paper|safety pin|nail polish|selfie|mechanical arm|mechanical leg|leg|nose
ear|ear with hearing aid|brain|anatomical heart|lungs|tooth|eyes|eye|tongue|mouth|biting lip|flexed biceps|foot|writing hand
tram car|tumbler|playing cards|flower playing cards|person in suit levitating|person in steamy room|man in steamy room
woman in steamy room|pregnant woman|pregnant man|pregnant person|breast-feeding|woman feeding baby|man feeding baby
person feeding baby|zombie|man zombie|woman zombie|person in bed|people with bunny ears|men with bunny ears|bowling|hole
women with bunny ears|people wrestling|men wrestling|women wrestling|woman: bald|person: bald|woman: beard|vampire
man in manual wheelchair|woman with veil|man with veil|drop of blood|sunset|sunrise|cityscape at dusk|milky way|fog|cyclone
new moon|waxing crescent moon|first quarter moon|waxing gibbous moon|waning gibbous moon|last quarter moon|no entry
waning crescent moon|new moon face|thermometer|umbrella with rain drops|night with stars|firecracker|sparkler|fireworks
cooked rice|curry rice|shallow pan of food|tamale|falafel|oden|fish cake with swirl|fondue|stuffed flatbread|beans|rock
hospital|hotel|bank|department store|post office|light rail|station|metro|tram|monorail|mountain railway|twelve-thirty
black nib|hair pick|people holding hands|paw prints|wing|card|seat|bus stop|Tokyo tower|meat on bone|poultry leg|cut of meat
""".replace("\n", "|").strip("|").split("|"))

# Nature, food and places are taken from both sets, so that a group of animals is not a row of copies.
BOTH_SETS_GROUPS = {3, 4, 5}
# The people of the second set look friendlier.
SECOND_SET_FIRST_GROUPS = {1}

# Drawings that do not work as outlines: black areas, doubled rims, lettering, or a picture inside a frame.
NOT_FROM_FLUENT = set("""
rabbit|raccoon|bat|zebra|white flower|peacock|jellyfish|scorpion|spider web|squid|dove|swan|phoenix|crocodile|hyacinth
desert|national park|cityscape|sunrise over mountains|shooting star|brick|passenger ship|ferry|high-speed train
bullet train|polar bear face|water wave|snowman|chicken|wind face|first quarter moon face|sloth|blowfish|mouse
rat|bird|eagle|badger|boar|ginger root|world map|mate|cooking|panda face|crab|lobster|tamale|skunk|takeout box|moai
""".replace("\n", "|").strip("|").split("|"))
NOT_FROM_NOTO = set("""
gorilla|orangutan|tiger face|black cat|bison|boar|koala|dragon face|moon cake|chocolate bar|bubble tea|mantelpiece clock
railway car|bullet train|suspension railway|mountain cableway|aerial tramway|desert|national park|cityscape|comet
sunrise over mountains|shooting star|wood|racing car|parachute|small airplane|sun with face|full moon face|wind face
first quarter moon face|last quarter moon face|timer clock|polar bear|bento box|kiwi fruit|brick|globe showing asia-australia
high-speed train|airplane|fly|train|ferry|police car light|otter|white flower|glass of milk|world map|poodle|black bird
police car|auto rickshaw|motorized wheelchair|melon|moose|cockroach|fuel pump|timer clock|satellite|monkey face|nest with eggs
empty nest|japanese castle|potted plant|bug|melon
""".replace("\n", "|").strip("|").split("|"))

# Drawings that the rules above leave out but that prompts ask for: the set (0 is the first) and the label to use.
ADDED = {
    "building construction": (0, "construction crane"), "church": (1, "church"), "mosque": (0, "mosque"),
    "hindu temple": (0, "hindu temple"), "synagogue": (0, "synagogue"), "shinto shrine": (0, "shinto shrine"),
    "Tokyo tower": (0, "lattice tower"), "tram car": (0, "tram"), "light rail": (0, "electric train"),
    "cooked rice": (0, "cooked rice"), "curry rice": (1, "curry rice"), "bowling": (0, "bowling"),
    "computer mouse": (0, "computer mouse"), "laptop": (0, "laptop"), "desktop computer": (0, "desktop computer"),
    "hospital": (1, "hospital"), "rock": (0, "rock"),
    "rolled-up newspaper": (0, "newspaper"), "stethoscope": (0, "stethoscope"), "mosquito": (0, "mosquito"),
}

# The emojibase groups of the folders in own/.
OWN_GROUPS = {
    "people": 1, "animals-nature": 3, "food-drink": 4, "travel-places": 5, "activities": 6, "objects": 7,
}


def is_plain(entry):
    label = entry["label"]
    return not (
        label in LEFT_OUT
        or "facing right" in label
        or label.endswith("o’clock")
        or "-thirty" in label
        or any(word in label for word in ("massage", "haircut", "white cane", "kneeling", "mountain biking", "water polo"))
        or any(word in label for word in ("supervillain", "judge", "tuxedo", "troll", "technologist", "singer", "skullcap"))
        or label.startswith(("person: ", "man: red", "woman: blond", "man health", "woman judge", "man in", "woman in"))
        or label.startswith(("family", "couple", "kiss", "woman in m", "man in m"))
    )


def chosen(fluent, fluent_names, noto, noto_names, emojibase):
    """Returns the extraction jobs: (label, group, set, tags, body, width, height)."""
    jobs = []
    for entry in emojibase:
        group, subgroup, label = entry.get("group"), entry.get("subgroup"), entry["label"]
        wanted = label in FROM_OTHER_GROUPS or (group in GROUPS and subgroup not in SUBGROUPS_LEFT_OUT and is_plain(entry))
        if not wanted:
            continue
        code = entry["hexcode"].lower()
        drawn = False
        order = [(0, fluent, fluent_names), (1, noto, noto_names)]
        if group in SECOND_SET_FIRST_GROUPS:
            order.reverse()
        for number, icons, names in order:
            if drawn and group not in BOTH_SETS_GROUPS:
                continue
            if label.lower() in (NOT_FROM_FLUENT, NOT_FROM_NOTO)[number]:
                continue
            name = names.get(code) or names.get(code.replace("-fe0f", ""))
            icon = icons["icons"].get(name)
            if icon is None:
                continue
            width = icon.get("width", icons.get("width"))
            height = icon.get("height", icons.get("height"))
            jobs.append((label.lower(), group, number, entry.get("tags", []), icon["body"], width, height))
            drawn = True
    return jobs + added(fluent, fluent_names, noto, noto_names, emojibase) + own()


def added(fluent, fluent_names, noto, noto_names, emojibase):
    """Returns the jobs for drawings that are selected by hand, without tags."""
    jobs = []
    for entry in emojibase:
        if entry["label"] not in ADDED:
            continue
        number, label = ADDED[entry["label"]]
        icons, names = ((fluent, fluent_names), (noto, noto_names))[number]
        code = entry["hexcode"].lower()
        icon = icons["icons"][names.get(code) or names[code.replace("-fe0f", "")]]
        size = [icon.get(side, icons.get(side)) for side in ("width", "height")]
        jobs.append((label, entry["group"], number, [], icon["body"], *size))
    return jobs


def own():
    """Returns the jobs for the drawings in own/<group>/<label>.svg: plain shapes, as in the first set."""
    jobs = []
    for file in sorted((Path(__file__).parent / "own").glob("*/*.svg"), key=lambda file: file.stem):
        body = re.search(r"<svg[^>]*>(.*)</svg>", file.read_text(), re.S)[1]
        jobs.append((file.stem, OWN_GROUPS[file.parent.name], 0, [], body, 64, 64))
    return jobs
