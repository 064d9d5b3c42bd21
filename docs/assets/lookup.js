// The box for a pasted log. It loads lookup-search.js and the index when they are needed; the log never leaves the page.
"use strict";

for (const box of document.querySelectorAll("[data-lookup]")) {
  const root = box.dataset.root ?? "", project = "vLLM", issues = "https://github.com/vllm-project/vllm/issues?q=";
  const STATUS = {
    matched: () => "This is a known error.",
    "other wording": () => "This is a known error, in the wording of other releases.",
    "other file": ({ file }) => `${project} raised this${file ? ` in ${shortPath(file)}` : ""}, or it was raised while the configuration was built. It is in a file without pages here.`,
    "field complaint": () => "A field or an argument was refused before any check of the configuration ran.",
    "other program": () => `This is no check of ${project}'s configuration, and nothing in the text says that ${project} raised it. It has no page here.`,
    "cause missing": () => "This only points to a cause further up, which is not in the text. Paste more of the log.",
    warning: () => `These are warnings; ${project} goes on after them. If the start failed, the cause is further down in the log.`,
    "no error": () => "There is no error in this text.",
  };
  const KINDS = { "unknown-argument": "unknown argument", "wrong-type": "wrong type", "out-of-range": "not among the allowed values" };

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const shortPath = (path) => path.replaceAll("\\", "/").replace(/^.*\/(?=vllm\/)/, "");

  const field = element("textarea", {
    rows: "6", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-describedby": `${box.id || "ve-lookup"}-hint`,
    placeholder: "ValueError: …",
  });
  const hint = element("small", { id: `${box.id || "ve-lookup"}-hint` }, "Paste the whole log or drop a file; it is read here and sent nowhere.");
  const label = element("label", {}, element("span", {}, "Paste your log"), field);
  const verdict = element("p", { role: "status", class: "ve-verdict" });
  const results = element("div", { class: "ve-results" });
  const copy = element("button", { type: "button", class: "md-button", hidden: "" }, "Copy report");
  const clear = element("button", { type: "button", class: "md-button", hidden: "" }, "Clear");
  box.replaceChildren(label, hint, verdict, results, element("p", { class: "ve-actions" }, copy, " ", clear));

  // From a plain folder a page can read no file, but it can run one; and a folder has no page of its own.
  const inFolder = location.protocol === "file:";
  const address = (url) => `${root}${url}${inFolder ? "index.html" : ""}`;
  const addScript = (path) => new Promise((done, failed) => {
    const script = element("script", { src: `${root}${path}` });
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  });
  const readIndex = () => inFolder
    ? addScript("api/lookup.js").then(() => globalThis.vllmErrorsIndex)
    : fetch(`${root}api/lookup.json`).then((answer) => answer.ok ? answer.json() : Promise.reject(new Error(answer.status)));

  let loading = null, last = null, timer = 0;
  const load = () => (loading ??= Promise.all([readIndex(), globalThis.vllmErrors ?? addScript("assets/lookup-search.js")])
    .then(([data]) => globalThis.vllmErrors.prepare(data)));

  const pins = (labels) => labels.length < 2 ? labels[0] ?? "none of those that are tracked has quite this wording" : `${labels.at(-1)} to ${labels[0]} (${labels.length} of the tracked releases)`;
  const row = (name, ...value) => element("div", {}, element("dt", {}, name), element("dd", {}, ...value));

  const words = (text) => text.split("`").map((piece, at) => (at % 2 ? element("code", {}, piece) : piece));
  const fixed = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\\\{.*?\\\}/g, ".{1,80}");

  // What to try, which of its settings the log names, and what adds each item of a list: from the data of that error.
  // Nothing is added where that is not to be had.
  const advise = async (match, { text, found }, place) => {
    if (!match.slug || inFolder) return;
    const data = await fetch(`${root}api/errors/${match.id}.json`).then((answer) => answer.json());
    const rows = [];
    if (data.solutions[0]) rows.push(row("Try first", ...words(data.solutions[0])));
    const given = argumentsOf(text, found), mine = [...given.keys()].filter((name) => data.settings.some((each) => plainName(each) === name));
    if (mine.length) rows.push(row("Your log sets", ...mine.flatMap((name, at) => [at ? ", " : "", element("code", {}, given.get(name))])));
    for (const [name, value] of Object.entries(match.values ?? {})) {
      const items = data.possibleItems.find((each) => each.placeholder === name)?.items ?? [];
      for (const piece of items.length ? value.split(", ") : []) {
        const same = items.filter((each) => new RegExp(`^${fixed(each.text)}$`, "i").test(piece));
        const here = same.find((each) => each.pins.includes(`v${found.version}`)) ?? same[0];
        if (!here) continue;
        const told = here.conditions.map((all) => all.join(" and ")).join("; or ");
        const when = found.version && !here.pins.includes(`v${found.version}`) ? `; so printed by ${pins(here.pins)}, not by ${found.version}` : "";
        rows.push(row(piece, "is listed because ", ...words(told), when));
      }
    }
    if (last?.text === text) place.prepend(...rows);
  };

  const card = (match) => {
    const title = match.slug ? element("a", { href: address(match.url) }, match.template) : element("span", {}, match.template);
    const rows = Object.entries(match.values ?? {}).map(([name, text]) => row(name, "you have ", element("code", {}, text)));
    if (match.file) rows.push(row("Raised by", element("code", {}, shortPath(match.file)), ": an older or newer home of this check; no release follows from it"));
    else if (match.releases) rows.push(row("Release", pins(match.releases)));
    if (match.liftedIn) rows.push(row("Lifted in", `${match.liftedIn}: the configuration no longer makes this check`));
    if (!match.slug) rows.push(row("Page", "none: only releases that are no longer documented raise it"));
    if (match.confidence) rows.push(row("Match", { certain: "certain: the whole message", likely: "likely: nearly the whole message", possible: "possible: a part of the message" }[match.confidence]));
    const list = element("dl", {}, ...rows);
    if (last) advise(match, last, list).catch(() => {});
    return element("li", {}, title, list);
  };

  const complaint = (each) => {
    const made = element("li", {},
      element("a", { href: address(each.url) }, KINDS[each.kind]), ": ",
      element("code", {}, [each.class, each.field].filter(Boolean).join(".")), " ", each.reason);
    if (each.kind === "unknown-argument" && each.field?.startsWith("--") && !inFolder) adviseFlag(each.field.split(/[ =]/)[0], made).catch(() => {});
    return made;
  };

  // How many letters to change, drop, add or swap.
  const distance = (one, other) => {
    let [older, before] = [[], [...Array(other.length + 1).keys()]];
    for (let i = 1; i <= one.length; i += 1) {
      const row = [i];
      for (let j = 1; j <= other.length; j += 1) {
        const change = before[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
        row[j] = Math.min(before[j] + 1, row[j - 1] + 1, change);
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], older[j - 2] + 1);
      }
      [older, before] = [before, row];
    }
    return before[other.length];
  };

  // A flag that was refused: which releases have it, or which one looks like it.
  const adviseFlag = async (name, place) => {
    const { pins: labels, flags } = await fetch(`${root}api/flags.json`).then((answer) => answer.json());
    const has = (flag) => pins(flags[flag].map((at) => labels[at]));
    if (name in flags) return place.append(element("br"), element("code", {}, name), ` exists in ${has(name)}: compare with the release that you run.`);
    const near = Object.keys(flags).map((flag) => [distance(name.replaceAll("_", "-"), flag), flag]).sort(([a], [b]) => a - b).filter(([far]) => far <= Math.max(1, name.length / 6));
    const best = near.filter(([far]) => far === near[0][0]).slice(0, 3);
    if (best.length) place.append(element("br"), "Did you mean ", ...best.flatMap(([, flag], at) => [at ? " or " : "", element("code", {}, flag)]), "? ", best.length === 1 ? `It exists in ${has(best[0][1])}.` : "");
  };

  // The lines that decided, with one line around them.
  const excerpt = (text, lines) => {
    const all = text.split(/\r\n?|\n/), wanted = new Set(lines.slice(0, 30).flatMap((line) => [line - 1, line, line + 1]));
    const shown = [...wanted].filter((line) => line >= 1 && line <= all.length && (lines.includes(line) || all[line - 1].trim())).sort((a, b) => a - b);
    const pre = element("pre", { class: "ve-log", tabindex: "0", role: "region", "aria-label": "The lines that decided" });
    for (const [at, line] of shown.entries()) {
      if (at && shown[at - 1] !== line - 1) pre.append("⋯\n");
      const content = `${String(line).padStart(String(shown.at(-1)).length)}  ${all[line - 1].slice(0, 2000)}`;
      pre.append(lines.includes(line) ? element("mark", {}, content) : content, "\n");
    }
    return pre;
  };

  const show = (text, found) => {
    last = { text, found };
    verdict.textContent = STATUS[found.status](found);
    results.replaceChildren();
    if (found.matches.length) results.append(element("ol", {}, ...found.matches.map(card)));
    if (found.complaints.length) results.append(element("ul", {}, ...found.complaints.map(complaint)));
    if (found.message) results.append(element("p", {}, found.matches.length || found.complaints.length ? "Also in the log, and not documented here: " : "", element("code", {}, found.message)));
    if (found.message && !found.matches.length && !found.complaints.length) {
      const search = issues + encodeURIComponent(redact(found.message).slice(0, 200));
      results.append(element("p", {}, element("a", { href: search, rel: "noreferrer" }, `Search ${project}'s issues for it`), " (this sends the message to GitHub)."));
    }
    if (found.version && !found.matches.some(({ releases }) => releases.length === 1 && releases[0] === `v${found.version}`)) results.append(element("p", {}, `The log names release ${found.version}.`));
    if (found.status === "no error" && text.length < 300) results.append(element("p", {}, element("a", { href: `${address("errors/")}#q=${encodeURIComponent(text.trim())}` }, "Look for these words in all errors"), "."));
    if (found.lines.length) results.append(excerpt(text, found.lines));
    copy.hidden = !(found.matches.length || found.message || found.complaints.length);
    remember(found.matches[0]?.id ?? "");
  };

  const remember = (id) => {
    if (box.dataset.lookup === "page") history.replaceState(null, "", id ? `#${id}` : location.pathname + location.search);
  };

  const reset = () => {
    last = null;
    verdict.textContent = "";
    results.replaceChildren();
    copy.hidden = true;
    remember("");
  };

  // Back from a page brings the log back; it stays in this tab.
  const kept = "ve-log";
  const keep = (text) => {
    try {
      if (text && text.length < 500000) sessionStorage.setItem(kept, text);
      else sessionStorage.removeItem(kept);
    } catch {}  // a browser may forbid it
  };
  try {
    if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") field.value ||= sessionStorage.getItem(kept) ?? "";
  } catch {}

  const run = () => {
    const text = field.value;
    clear.hidden = !text;
    keep(text);
    if (!text.trim()) return reset();
    return load().then((index) => {
      if (field.value !== text) return;
      const found = globalThis.vllmErrors.explain(text, index);
      show(text, found);
      box.dispatchEvent(new CustomEvent("explained", { detail: found }));
    }).catch(() => {
      loading = null;
      verdict.textContent = "The index could not be loaded here. Search for a few words of the message instead.";
    });
  };

  // Nothing that could name a person, a machine or a secret.
  const redact = (text) => text
    .replace(/(--?[\w-]*(?:key|token|password|secret)[\w-]*[ =:'"]+)[^\s'",}]+/gi, "$1<removed>")
    .replace(/\b(?:hf|sk|ghp|github_pat|glpat|xox[a-z])[-_][\w-]{8,}/g, "<token>")
    .replace(/\b[A-Za-z0-9+_-]{32,}={0,2}/g, (found) => (/[0-9]/.test(found) && /[A-Za-z]/.test(found) && !found.includes("_") ? "<token>" : found))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s'",)}]+/gi, "<address>")
    .replace(/(?<![\w.-])(?:[A-Za-z]:|\.{1,2}|~)?(?:[\\/]+[\w.@~+-]+(?:(?: [\w.@~+][\w.@~+-]*)+(?=[\\/]))?)+[\\/]?/g, "<path>")
    .replace(/\b[\w.+-]+@[\w-]+\.[\w.]+/g, "<mail>").replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, "<ip>");

  // Flags of command lines; the lines of the error name flags that nobody has typed.
  const flagsOf = (text, found) => {
    const rest = text.split(/\r\n?|\n/).filter((_, at) => !found.lines.includes(at + 1)).join("\n");
    return [...new Set(rest.match(/(?<![\w-])--[a-z][\w.-]{2,60}(?:[ =](?!-)[^\s'"`,;)]{1,80})?/g) ?? [])].slice(0, 40);
  };

  // Name of a setting → how the log has it: from flags, and from what vLLM prints of its arguments. Names and numbers tell
  // nobody's secrets; texts may, and stay out.
  const plainName = (name) => name.replace(/^-+(no-)?/, "").replace(/[=. ].*/, "").replaceAll("-", "_");
  const argumentsOf = (text, found) => {
    const printed = /non-default args: (\{[^\n]{0,4000})/.exec(text)?.[1] ?? "";
    const given = new Map(flagsOf(redact(text), found).map((each) => [plainName(each), each]));
    for (const [, name, value] of printed.matchAll(/'([a-z]\w{1,60})': (True|False|None|-?[0-9.]+(?=[,}]))?/g)) {
      if (!given.has(name)) given.set(name, value ? `${name}=${value}` : name);
    }
    for (const [set, name] of text.matchAll(/\b(VLLM_[A-Z0-9_]{2,60})=(?:[0-9]{1,6}|true|false)\b/gi)) given.set(name, set);
    return given;
  };

  const report = async ({ text, found }) => {
    const lines = [];
    for (const match of found.matches) {
      const document_ = await fetch(`${root}api/errors/${match.id}.json`).then((answer) => answer.json()).catch(() => null);
      const at = document_?.occurrences.find((each) => each.pin === match.releases[0]) ?? document_?.occurrences[0];
      const guards = (at?.guards ?? []).filter((guard) => guard.origin !== "earlier check").map((guard) => `  ${(guard.words ?? `${guard.text} is ${guard.holds ? "true" : "false"}`).replaceAll("`", "")}`);
      lines.push(`Message: ${match.template}`, `Id: ${match.id} (${match.confidence})`, `Release: ${found.version ?? (match.file ? `unknown; raised by ${shortPath(match.file)}` : pins(match.releases))}`);
      for (const [name, value] of Object.entries(match.values)) lines.push(`Value: ${name} = ${redact(value)}`);
      if (match.slug) lines.push(`Page: ${new URL(`${root}${match.url}`, location.href).href}`);
      if (guards.length) lines.push("Conditions:", ...guards);
      if (document_?.solutions[0]) lines.push(`Try first: ${document_.solutions[0]}`);
    }
    for (const each of found.complaints) lines.push(`Complaint: ${each.kind}: ${[each.class, each.field].filter(Boolean).join(".")}: ${redact(each.reason)}`);
    if (found.message) lines.push(`Not documented: ${redact(found.message)}`);
    const given = [...argumentsOf(text, found).values()].slice(0, 60);
    const flags = given.filter((each) => each.startsWith("--")), others = given.filter((each) => !each.startsWith("--"));
    if (flags.length) lines.push(`Flags: ${flags.join(" ")}`);
    if (others.length) lines.push(`Arguments: ${others.join(", ")}`);
    return `${lines.join("\n")}\n`;
  };

  copy.addEventListener("click", async () => {
    if (!last) return;
    const text = await report(last);
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy report"), 2000);
    } catch {
      results.append(element("pre", { tabindex: "0" }, text));
    }
  });
  clear.addEventListener("click", () => {
    field.value = "";
    run();
    field.focus();
  });
  field.addEventListener("focus", () => load().catch(() => (loading = null)), { once: true });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, field.value.length > 200000 ? 400 : 120);
  });
  box.addEventListener("dragover", (event) => event.preventDefault());
  box.addEventListener("drop", async (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    field.value = await file.text();
    run();
  });

  const shared = /^#([0-9a-f]{16})$/.exec(location.hash)?.[1];
  if (shared && box.dataset.lookup === "page") {
    load().then((index) => {
      const entry = index.entries.find((each) => each.id === shared);
      if (!entry || field.value) return;
      verdict.textContent = "Somebody has shared this result with you; the log is not part of the link.";
      results.replaceChildren(element("ol", {}, card({
        slug: entry.slug, url: `errors/${entry.slug}/`, template: entry.wordings[0].text,
        liftedIn: entry.liftedIn === null ? null : index.pins[entry.liftedIn],
      })));
    }).catch(() => (loading = null));
  }
  if (field.value) run();
}
