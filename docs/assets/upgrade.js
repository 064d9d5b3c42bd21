// The upgrade sheet: compares any two pins of api/history.json. No dependency, nothing leaves the page.
"use strict";

{
  const form = document.getElementById("ve-upgrade");
  const sheet = document.getElementById("ve-upgrade-sheet");

  const element = (name, text, children = []) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  };

  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  // One entry per error that differs, in the groups of the sheet.
  const compare = (history, from, to) => {
    const groups = { starts: [], lifted: [], reads: [], changed: [] };
    for (const error of history.errors) {
      const before = error.states[from], after = error.states[to];
      if (!before && !after) continue;
      const entry = { error, before, after };
      if (!before) groups.starts.push(entry);
      else if (!after) groups.lifted.push(entry);
      else {
        if (before.message !== after.message) groups.reads.push(entry);
        if (!same(before.guards, after.guards) || before.errorClass !== after.errorClass) groups.changed.push(entry);
      }
    }
    return groups;
  };

  const byTopic = (entries) => {
    const found = new Map();
    for (const entry of entries) {
      const name = entry.error.topics[0] ?? "Other";
      found.set(name, [...(found.get(name) ?? []), entry]);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  };

  const about = (history, { error, before, after }) =>
    [...new Set([before, after].filter(Boolean).map((state) => history.texts[state.message])), ...error.topics, ...error.settings].join(" ").toLowerCase().replaceAll(/[_-]+/g, " ");

  const item = (history, { error, before, after }, detail) => {
    const text = history.texts[(after ?? before).message];
    const link = error.slug ? element("a", text) : element("span", text);
    if (error.slug) link.href = `${form.dataset.errors}${error.slug}/`;
    return element("li", "", [link, ...detail(before, after)]);
  };

  const conditions = (history) => (before, after) => {
    const lines = [];
    const list = (label, these, those) => {
      for (const each of these) if (!those.includes(each)) lines.push(element("li", "", [`${label}: `, element("code", history.texts[each])]));
    };
    list("no longer asked", before.guards, after.guards);
    list("newly asked", after.guards, before.guards);
    return lines.length ? [element("ul", "", lines)] : [];
  };

  const wording = (history) => (before) => [element("ul", "", [element("li", "", ["was: ", element("code", history.texts[before.message])])])];

  const show = (history) => {
    const from = history.pins.indexOf(form.elements.from.value), to = history.pins.indexOf(form.elements.to.value);
    const words = form.elements.only.value.toLowerCase().split(/[\s_-]+/).filter(Boolean);
    const groups = compare(history, from, to);
    for (const name of Object.keys(groups)) groups[name] = groups[name].filter((each) => words.every((word) => about(history, each).includes(word)));
    const none = () => [];
    const parts = [
      [`What starts to fail (${groups.starts.length})`, groups.starts, none],
      [`What is lifted (${groups.lifted.length})`, groups.lifted, none],
      [`What reads differently (${groups.reads.length})`, groups.reads, wording(history)],
      [`Whose conditions change (${groups.changed.length})`, groups.changed, conditions(history)],
    ];
    sheet.replaceChildren();
    for (const [heading, entries, detail] of parts) {
      sheet.append(element("h3", heading));
      for (const [topic, found] of byTopic(entries)) {
        sheet.append(element("p", "", [element("strong", topic)]), element("ul", "", found.map((each) => item(history, each, detail))));
      }
    }
    remember();
  };

  const remember = () => {
    const only = form.elements.only.value.trim();
    const hash = `#${form.elements.from.value}..${form.elements.to.value}${only ? `;${encodeURIComponent(only)}` : ""}`;
    if (location.hash !== hash) window.history.replaceState(null, "", hash);
  };

  const restore = () => {
    const labels = [...form.elements.from.options].map((each) => each.value);
    const decoded = (text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return "";  // an address that somebody typed
      }
    };
    const [range, only] = location.hash.slice(1).split(";"), wanted = decoded(range).split("..");
    form.elements.only.value = decoded(only ?? "");
    const [from, to] = wanted.every((each) => labels.includes(each)) && wanted.length === 2 ? wanted : [labels[1] ?? labels[0], labels[0]];
    form.elements.from.value = from;
    form.elements.to.value = to;
  };

  fetch(form.dataset.history)
    .then((answer) => answer.json())
    .then((history) => {
      restore();
      form.hidden = false;
      form.addEventListener("input", () => show(history));
      form.addEventListener("submit", (event) => event.preventDefault());
      show(history);
    })
    .catch(() => {
      sheet.textContent = "The data of the upgrade sheet could not be loaded here; the pages below hold the same facts.";
    });
}
