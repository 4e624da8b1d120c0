"""The studio in a browser without a window: a slider moves, a new run comes, its numbers are those of the library."""

import io
import time

import numpy as np
import pytest
from tests.browsers import need_browser

import cardan
from cardan.formats.gallery import gallery_path
from cardan.formats.yaml import loads
from cardan.formats.yaml_tree import read_tree
from cardan.view.animation import browser

need_browser()
pytest.importorskip("websockets")
Image = pytest.importorskip("PIL.Image")

SINGLE = 1e-6  # of positions of a metre in 32-bit numbers


def wait(page, expression, seconds=20.0):
    """Wait until an expression holds; Playwright's own way runs texts, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        if time.monotonic() > end:
            said = page.evaluate("[...document.querySelectorAll('#notice p, .fault')].map((one) => one.textContent)")
            raise AssertionError(f"{expression}; the page says {[text for text in said if text]}")
        page.wait_for_timeout(20)


class Tab:
    """A tab of a studio, and the complaints of its console."""

    def __init__(self, window, studio):
        self.page = window.new_page()
        self.complaints = []
        self.page.on("console", lambda one: self.complaints.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(studio.url)

    def slide(self, name, value):
        """Move a slider, and wait for the run."""
        runs = self.page.evaluate("cardan.runs")
        slider = self.page.locator(f"[data-slider='{name}']")
        slider.evaluate("(one, x) => { one.value = x; one.dispatchEvent(new Event('input')); }", value)
        wait(self.page, f"cardan.runs > {runs}")

    def enter(self, name, text):
        """Type a text into a field."""
        field = self.page.locator(f"[data-value='{name}']")
        field.fill(text)
        field.press("Enter")


@pytest.fixture(scope="module")
def window():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = browser.browser_path()
        started = playwright.chromium.launch(executable_path=path, args=[*browser.ARGUMENTS], chromium_sandbox=False)
        yield started.new_context(viewport={"width": 1400, "height": 850}, reduced_motion="reduce")
        started.close()


@pytest.fixture
def studio():
    with cardan.studio("overhead_crane", browser=False) as opened:
        yield opened


def test_a_slider_brings_a_new_run_with_the_numbers_of_the_library(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    assert page.title() == "overhead crane"
    tab.slide("parameters.L", 1.2)
    assert page.locator("[data-value='parameters.L']").input_value() == "1.2 m"
    run = cardan.simulate(cardan.load("overhead_crane"), parameters={"L": 1.2})
    for k in (0, 300, len(run) - 1):
        page.evaluate("t => { cardan.time = t; }", float(run.t[k]))
        for body in ("trolley", "payload"):
            pose = page.evaluate("body => cardan.pose(body)", body)
            np.testing.assert_allclose(pose["position"], run.array(f"{body}.position")[k], atol=1e-4)  # chosen instants
    page.evaluate("cardan.time = cardan.span[1]")
    assert page.evaluate("cardan.value('load_x')") == pytest.approx(run.array("load_x")[-1], abs=SINGLE)
    picture = np.asarray(Image.open(io.BytesIO(page.locator("#stage").screenshot())).convert("L"))
    assert picture.std() > 5  # not blank
    assert tab.complaints == []


def test_a_wrong_value_is_refused_at_its_field_and_the_picture_stays(window, studio):
    tab = Tab(window, studio)
    wait(tab.page, "window.cardan?.runs > 0")
    before = tab.page.evaluate("cardan.runs")
    tab.enter("parameters.L", "3 kg")
    wait(tab.page, "cardan.refusals > 0")
    row = tab.page.locator(".value", has=tab.page.locator("[data-value='parameters.L']"))
    assert "'3 kg' is a mass" in row.inner_text()
    assert tab.page.evaluate("[cardan.runs, cardan.bodies]") == [before, ["trolley", "payload"]]
    assert tab.complaints == []


@pytest.mark.exhaustive
def test_a_reload_and_a_second_tab_show_what_is_there(window, studio):
    tab, other = Tab(window, studio), Tab(window, studio)
    for one in (tab, other):
        wait(one.page, "window.cardan?.runs > 0")
    tab.slide("parameters.mp", 1.5)
    wait(other.page, "document.querySelector(\"[data-value='parameters.mp']\").value === '1.5 kg'")
    tab.page.reload()
    wait(tab.page, "window.cardan?.runs > 0")
    assert tab.page.locator("[data-value='parameters.mp']").input_value() == "1.5 kg"
    assert tab.complaints == other.complaints == []


def test_the_file_changes_the_model_and_names_its_faults(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    page.get_by_role("tab", name="File").click()
    text = page.get_by_label("Model file")
    assert "L: 0.7 m" in text.input_value()
    text.fill(text.input_value().replace("type: prismatic", "type: prismatik"))
    page.get_by_role("button", name="Apply").click()
    wait(page, "cardan.refusals > 0")
    assert "did you mean 'prismatic'?" in page.locator("#sheet").inner_text()
    runs = page.evaluate("cardan.runs")
    page.get_by_role("button", name="Undo").click()
    wait(page, f"cardan.runs > {runs}")
    assert tab.complaints == []


def test_a_studio_that_has_ended_says_so(window):
    with cardan.studio("compound_pendulum", browser=False) as opened:
        tab = Tab(window, opened)
        wait(tab.page, "window.cardan?.runs > 0")
    wait(tab.page, "document.getElementById('notice').textContent.includes('has ended')")


def test_names_are_shown_and_not_obeyed(window):
    name = "<img src=x onerror=\"document.title='obeyed'\">"
    model = cardan.load("compound_pendulum").model_copy(update={"name": name})
    with cardan.studio(model, browser=False) as opened:
        tab = Tab(window, opened)
        wait(tab.page, "window.cardan?.runs > 0")
        assert tab.page.locator("#title").inner_text() == name
        assert (tab.page.title(), tab.page.locator("img").count()) == (name, 0)


def test_topics_plots_and_files(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    runs = page.evaluate("cardan.runs")
    page.get_by_text("full against simplified").click()
    wait(page, f"cardan.runs > {runs}")
    assert "simplified" in page.locator("#plots").inner_text()
    for topic in ("Loads", "Equations", "Bond graph"):
        page.get_by_role("tab", name=topic).click()
        wait(page, f"document.querySelector('#details iframe')?.title === '{topic}'")
    page.locator(".more").select_option("drive.current")
    wait(page, "cardan.values.includes('drive.current')")
    page.get_by_label("Remove the plot load_z").click()
    wait(page, "!cardan.values.includes('load_z')")
    page.locator("summary", has_text="Save").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Picture").click()
    picture = Image.open(started.value.path())
    assert np.asarray(picture.convert("L")).std() > 5
    assert tab.complaints == []


class Builder:
    """Somebody who builds a model with the forms: types numbers into fields, chooses kinds, and never writes YAML."""

    def __init__(self, page):
        self.page = page

    def add(self, section, name, value):
        """Add an entry to a section."""
        box = self.page.locator(f"[data-section='{section}']")
        box.locator(".add").click()
        form = box.locator("form")
        form.get_by_label("name", exact=True).first.fill(name)
        self.put(form.locator("xpath=./div").nth(1), value)
        form.get_by_role("button", name="Add", exact=True).click()
        wait(self.page, f"!document.querySelector(\"[data-section='{section}'] form > .field > [aria-label=name]\")")

    def put(self, box, value):
        """Fill in the fields of one node."""
        kind = box.get_attribute("class").split()[0]
        getattr(self, f"_{kind}")(box, value)

    def _single(self, box, value):
        if isinstance(value, list):
            inputs = box.locator("xpath=./div//input")
            assert inputs.count() >= len(value), "a list is typed component by component"
            for k, one in enumerate(value):
                inputs.nth(k).fill(str(one))
        elif box.locator("xpath=./select").count():
            box.locator("xpath=./select").select_option(value)
        else:
            box.locator("xpath=./input").fill(str(value))

    def _fields(self, box, value):
        for key, one in value.items():
            row = box.locator(f"xpath=./div[@data-key='{key}'] | ./details/div[@data-key='{key}']")
            box.locator("xpath=./details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
            self.put(row.locator("xpath=./div"), one)

    def _variants(self, box, value):
        if not isinstance(value, dict):
            value = {"value": value}
        known = box.locator("xpath=./select/option").all_inner_texts()
        kind = value.get("type") or next(key for key in known if key in value)
        box.locator("xpath=./select").select_option(kind)
        self.put(box.locator("xpath=./div/div"), {key: one for key, one in value.items() if key != "type"})

    def _list(self, box, value):
        for k, one in enumerate(value):
            box.locator("xpath=./button").click()
            item = box.locator("xpath=./div/div").nth(k)
            if isinstance(value, dict):
                item.locator("xpath=./div/input").fill(one)
                self.put(item.locator("xpath=./div/div"), value[one])
            else:
                self.put(item.locator("xpath=./div[1]"), one)


@pytest.mark.exhaustive
def test_a_mechanism_is_built_from_an_empty_model_without_yaml(window):
    """The arm with a basket: bodies with shapes, joints, motions and outputs; its motors' efforts are the library's."""
    wanted = read_tree(gallery_path("basket_arm").read_text(encoding="utf-8")).data
    with cardan.studio(browser=False) as opened:
        tab = Tab(window, opened)
        page = tab.page
        wait(page, "document.getElementById('notice').textContent.includes('add a body')")
        wait(page, "document.querySelector(\"[data-section='outputs']\")")
        builder = Builder(page)
        for section in ("parameters", "bodies", "joints", "motions", "outputs"):
            head = page.locator(f"[data-section='{section}'] > summary")
            if not page.locator(f"[data-section='{section}'][open]").count():
                head.click()
            for name, value in wanted[section].items():
                builder.add(section, name, value)
        page.locator("[data-section='model'] > summary").click()
        for key in ("planar", "gravity"):
            runs = page.evaluate("cardan.runs")
            field = page.locator(f"[data-entry='{key}']")
            if key == "planar":
                field.select_option("xy")
            else:
                for k, one in enumerate(wanted["gravity"]):
                    part = field.locator("xpath=ancestor-or-self::div[@class='vector']//input").nth(k)
                    part.fill(str(one))
                page.get_by_label("name", exact=True).click()
            wait(page, f"cardan.runs > {runs}")
        page.get_by_role("tab", name="Values").click()
        page.get_by_label("End", exact=True).fill("4 s")
        page.keyboard.press("Tab")
        wait(page, "Math.abs(cardan.span?.[1] - 4) < 1e-9")
        run = cardan.simulate(cardan.load("basket_arm"))
        page.evaluate("cardan.time = 4")
        for name in ("x", "y", "M1"):
            assert page.evaluate("name => cardan.value(name)", name) == pytest.approx(run.array(name)[-1], rel=1e-5)
        page.get_by_role("tab", name="File").click()
        text = page.get_by_label("Model file").input_value()
        built = loads(text)
        for section in ("parameters", "bodies", "joints", "motions", "outputs"):
            assert dict(getattr(built, section)) == dict(getattr(cardan.load("basket_arm"), section)), section
        assert tab.complaints == []


def test_a_fault_in_a_form_stands_at_its_field_and_a_click_on_a_body_opens_its_form(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    page.get_by_role("tab", name="Build").click()
    page.locator("[data-section=joints] .entry .name").first.click()
    page.get_by_label("axis", exact=True).fill("q")
    page.get_by_role("button", name="Apply").last.click()
    wait(page, "cardan.refusals > 0")
    wait(page, "document.querySelector('[data-key=axis] .fault')?.textContent.includes('is not a direction')")
    runs = page.evaluate("cardan.runs")
    page.get_by_label("axis", exact=True).fill("x")
    page.get_by_role("button", name="Apply").last.click()
    wait(page, f"cardan.runs > {runs}")
    x, y = page.evaluate("cardan.pixel(cardan.pose('trolley').position)")
    box = page.locator("#canvas").bounding_box()
    page.mouse.click(box["x"] + x + 12, box["y"] + y - 10)
    wait(page, "document.querySelector('.entry.open .name')?.textContent === 'trolley'")
    assert tab.complaints == []


@pytest.mark.exhaustive
def test_parts_get_other_names_in_their_forms(window, studio):
    """A joint, a parameter, and a marker with its body: the file, the plots and other forms have the new names."""
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    page.get_by_role("tab", name="Build").click()
    page.locator("[data-section=joints] .entry .name", has_text="travel").click()
    runs = page.evaluate("cardan.runs")
    page.get_by_label("name of travel").fill("way")
    page.get_by_role("button", name="Apply").last.click()
    wait(page, f"cardan.runs > {runs}")
    wait(page, "document.querySelector('[data-section=joints] .entry.open > .name')?.textContent.startsWith('way')")
    page.get_by_label("name of way").fill("swing")
    page.get_by_role("button", name="Apply").last.click()
    wait(
        page,
        "document.querySelector('.entry.open form > .fault')?.textContent.includes('stands in joints already')",
    )
    page.get_by_label("name of mp", exact=True).fill("burden")
    page.get_by_label("name of mp", exact=True).press("Enter")
    wait(page, "document.querySelector(\"[aria-label='name of burden']\")")
    page.get_by_role("tab", name="File").click()
    built = loads(page.get_by_label("Model file").input_value())
    assert "way" in built.joints
    assert "travel" not in built.joints
    assert "burden" in built.parameters
    assert tab.complaints == []


def _within(part, whole):
    """Whether a table holds another one."""
    if isinstance(part, dict):
        return all(_within(one, whole[key]) for key, one in part.items())
    return part == whole


@pytest.mark.exhaustive
def test_long_values_are_whole_in_their_fields(window):
    """Of the start values of a door, which are guesses with units."""
    with cardan.studio("door_closer", browser=False) as opened:
        tab = Tab(window, opened)
        wait(tab.page, "window.cardan?.runs > 0")
        cut = "[...document.querySelectorAll('.values input')].filter((one) => one.scrollWidth > one.clientWidth)"
        assert tab.page.evaluate(f"{cut}.map((one) => one.value)") == []
        tab.page.close()


@pytest.mark.exhaustive
def test_a_body_is_pulled_with_the_pointer(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    runs = page.evaluate("cardan.runs")
    page.get_by_role("button", name="Pull").click()
    x, y = page.evaluate("cardan.pixel([0, 0, -0.7])")
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(box["x"] + x + 20 * k, box["y"] + y)
        page.wait_for_timeout(30)
    wait(page, "cardan.pose('payload').orientation[0] < 0.999 || cardan.pose('trolley').position[0] > 0.01")
    page.mouse.up()
    wait(page, f"cardan.runs > {runs}")
    other = Tab(window, studio).page  # the sheet of the file is wider, which would move the picture
    other.get_by_role("tab", name="File").click()
    wait(other, "document.querySelector('textarea').value.includes('initial')")
    text = other.get_by_label("Model file").input_value()
    at = cardan.simulate(loads(text), until=0.01).array("payload.hook.position")
    px, py = page.evaluate("p => cardan.pixel(p)", at[0].tolist())
    assert (px, py) == pytest.approx((x + 100, y), abs=6)  # the pointer took the ball beside its middle
    assert tab.complaints == []


@pytest.mark.exhaustive
def test_a_rod_that_bends_is_pulled_at_the_part_below_the_pointer(window):
    """Beside the straight rod there is nothing to take; on it the pointer takes its last part."""
    with cardan.studio("flexible_arm", browser=False) as opened:
        tab = Tab(window, opened)
        page = tab.page
        wait(page, "window.cardan?.runs > 0")
        page.get_by_role("button", name="Pull").click()
        before, box = page.evaluate("cardan.pose('link_5')"), page.locator("#canvas").bounding_box()
        for beside in (60, 0):
            assert page.evaluate("cardan.pose('link_5')") == before
            x, y = page.evaluate("p => cardan.pixel(p)", before["position"])
            page.mouse.move(box["x"] + x, box["y"] + y + beside)
            page.mouse.down()
            for k in range(1, 6):
                page.mouse.move(box["x"] + x, box["y"] + y + beside + 10 * k)
                page.wait_for_timeout(30)
            if beside:
                page.mouse.up()
                page.wait_for_timeout(200)
        wait(page, f"cardan.pose('link_5').position[1] < {before['position'][1] - 0.01}")
        assert tab.complaints == []


def test_a_model_without_bodies_has_its_plots(window):
    with cardan.studio("quarter_car", browser=False) as opened:
        tab = Tab(window, opened)
        page = tab.page
        wait(page, "window.cardan?.runs > 0")
        assert "no bodies" in page.locator("#scale").inner_text()
        assert page.evaluate("cardan.values.length") > 0
        runs = page.evaluate("cardan.runs")
        page.get_by_role("tab", name="File").click()
        text = gallery_path("compound_pendulum").read_text(encoding="utf-8")
        page.get_by_label("Model file").fill(text)
        page.get_by_role("button", name="Apply").click()
        wait(page, f"cardan.runs > {runs}")
        assert page.evaluate("cardan.bodies.length") == 1
        assert np.asarray(Image.open(io.BytesIO(page.locator("#stage").screenshot())).convert("L")).std() > 5
        assert tab.complaints == []


@pytest.mark.exhaustive
def test_what_is_typed_into_a_form_or_the_file_stays_until_it_is_applied(window, studio):
    """Another form is opened, and another tab changes the model, meanwhile."""
    tab, other = Tab(window, studio), Tab(window, studio)
    for one in (tab, other):
        wait(one.page, "window.cardan?.runs > 0")
    page = tab.page
    page.get_by_role("tab", name="Build").click()
    names = page.locator("[data-section=bodies] .entry .name")
    names.filter(has_text="payload").click()
    page.locator(".entry.open [data-key=inertia]").get_by_label("Izz", exact=True).fill("0.2")
    names.filter(has_text="trolley").click()
    assert names.filter(has_text="not applied").inner_text().split() == ["payload", "not", "applied"]
    other.slide("parameters.mp", 1.5)
    wait(page, "document.querySelector('[data-entry=\"parameters.mp\"]').value === '1.5 kg'")
    names.filter(has_text="payload").click()
    izz = page.locator(".entry.open [data-key=inertia]").get_by_label("Izz", exact=True)
    assert izz.input_value() == "0.2"
    page.get_by_role("button", name="Discard").click()
    assert izz.input_value() == ""
    izz.fill("0.3")
    runs = page.evaluate("cardan.runs")
    page.get_by_role("button", name="Apply").last.click()
    wait(page, f"cardan.runs > {runs}")
    wait(page, "!document.querySelector('.unapplied')")
    page.get_by_role("tab", name="File").click()
    text = page.get_by_label("Model file")
    assert "inertia: [0, 0, 0.3]" in text.input_value()
    text.fill(text.input_value() + "# mine\n")
    page.get_by_role("tab", name="Values").click()
    tab.slide("parameters.mp", 1.2)
    page.get_by_role("tab", name="File").click()
    assert text.input_value().endswith("# mine\n")
    assert "The model has changed meanwhile" in page.locator("#sheet").inner_text()
    page.get_by_role("button", name="Revert").click()
    assert "mp: 1.2 kg" in text.input_value()
    assert tab.complaints == other.complaints == []


@pytest.mark.exhaustive
def test_the_user_decides_about_a_file_that_another_program_has_changed(window, tmp_path):
    path = tmp_path / "rig.yaml"
    path.write_text(gallery_path("compound_pendulum").read_text(encoding="utf-8"))
    with cardan.studio(path, browser=False) as opened:
        tab = Tab(window, opened)
        page = tab.page
        wait(page, "window.cardan?.runs > 0")
        path.write_text(path.read_text() + "# theirs\n")
        for answer, kept in (("Keep that one", True), ("Overwrite it", False)):
            page.locator("summary", has_text="Save").click()
            page.get_by_role("button", name="Save rig.yaml").click()
            wait(page, "document.getElementById('notice').textContent.includes('another program')")
            page.get_by_role("button", name=answer).click()
            wait(page, "!document.getElementById('notice').textContent.includes('another program')")
            if not kept:
                wait(page, "document.getElementById('notice').textContent.includes('Saved rig.yaml')")
            assert path.read_text().endswith("# theirs\n") == kept
        page.get_by_role("tab", name="File").click()
        page.get_by_label("Model file").press("Space")
        page.locator("summary", has_text="Save").click()
        page.get_by_role("button", name="Save rig.yaml").click()
        wait(page, "document.getElementById('notice').textContent.includes('typed here and not applied')")
        assert tab.complaints == []


@pytest.mark.exhaustive
def test_constants_are_plotted_as_such_and_long_lines_of_the_file_are_whole(window):
    model = cardan.load("compound_pendulum")
    outputs = {"none": "0*pendulum", "less": "1e-30*pendulum", "orbit": "5e10 + pendulum"}  # of 32 bits 4096 apart
    with cardan.studio(model.replace(outputs=outputs, source="words " * 60), browser=False) as opened:
        page = Tab(window, opened).page
        wait(page, "window.cardan?.runs > 0")
        assert [page.evaluate(f"cardan.range('{name}')") for name in ("none", "less")] == [[-1, 1], [-1, 1]]
        assert page.evaluate("cardan.range('orbit')") == pytest.approx([4.5e10, 5.5e10])
        page.get_by_role("tab", name="File").click()
        text = page.get_by_label("Model file")
        assert text.evaluate("(one) => one.scrollWidth <= one.clientWidth")
