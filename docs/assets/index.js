// The table of all errors: filter and sort, with both in the address. Without this script it is a plain table.
"use strict";

{
  const form = document.getElementById("ve-filter"), table = document.getElementById("ve-index");
  const none = document.getElementById("ve-none"), body = table.tBodies[0], rows = [...body.rows];
  const fields = ["q", "release", "topic", "verdict", "status", "exception", "setting"];
  const column = { exception: 1, verdict: 3 };
  let sorted = "";

  // Quotes, colons and other marks of a pasted message tell nothing.
  const plain = (text) => text.toLowerCase().replace(/[_-]+/g, " ");
  const words = (text) => plain(text).split(/[^\p{L}\p{N}./$]+/u).map((each) => each.replace(/^[.]+|[.,]+$/g, "")).filter(Boolean);
  const texts = new Map(rows.map((row) => [row, plain(`${row.textContent} ${row.dataset.settings} ${row.dataset.more ?? ""}`)]));
  const fits = {
    release: (row, value) => row.dataset.pins.split(" ").includes(value),
    topic: (row, value) => row.dataset.topics.split(" ").includes(value),
    setting: (row, value) => row.dataset.settings.split(" ").includes(value),
    status: (row, value) => row.dataset.states.split("|").includes(value),
    exception: (row, value) => row.cells[column.exception].textContent === value,
    verdict: (row, value) => row.cells[column.verdict].textContent === value,
  };

  const shown = (name) => {
    const field = form.elements[name];
    return name === "release" && field.value ? field.selectedOptions[0].text : field.value;
  };

  const filter = () => {
    const set = fields.filter((name) => form.elements[name].value.trim());
    const others = rows.filter((row) => set.every((name) => name === "q" || fits[name](row, form.elements[name].value)));
    const asked = words(form.elements.q.value), having = new Map(others.map((row) => [row, asked.filter((word) => texts.get(row).includes(word)).length]));
    const most = Math.max(0, ...having.values()), enough = most > 1 && most >= asked.length / 2 ? most : asked.length;
    let count = 0;
    for (const row of rows) {
      row.hidden = !(having.get(row) >= enough);
      count += !row.hidden;
    }
    const some = count && enough < asked.length ? `, with ${enough} of ${asked.length} words` : "";
    form.elements.count.value = set.length ? `${count} of ${rows.length}${some}` : `${rows.length} errors`;
    none.hidden = count > 0;
    const kept = new URLSearchParams(set.map((name) => [name, shown(name)]));
    if (sorted) kept.set("sort", sorted);
    const hash = kept.size ? `#${kept}` : "";
    if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
  };

  const key = (row, index, by) => (by === "since" ? Math.max(...row.dataset.pins.split(" ")) : row.cells[index].textContent.toLowerCase());

  // "2" sorts by the third column, "-2" the other way round, "" restores the order of the source.
  const sort = (order) => {
    const heads = [...table.tHead.rows[0].cells], index = Math.abs(parseInt(order, 10));
    sorted = heads[index] ? order : "";
    heads.forEach((head, at) => head.setAttribute("aria-sort", !sorted || at !== index ? "none" : order.startsWith("-") ? "descending" : "ascending"));
    const way = order.startsWith("-") ? -1 : 1, by = heads[index]?.dataset.sort;
    const compare = (a, b) => way * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
    body.append(...(sorted ? rows.map((row) => [key(row, index, by), row]).sort(compare).map(([, row]) => row) : rows));
  };

  const restore = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) {
      const field = form.elements[name], value = wanted.get(name) ?? "";
      field.value = name === "release" ? ([...field.options].find((each) => each.text === value)?.value ?? "") : value;
      if (field.selectedIndex === -1) field.selectedIndex = 0;
    }
    sort(wanted.get("sort") ?? "");
    filter();
  };

  [...table.tHead.rows[0].cells].forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      sort(sorted === `${index}` ? `-${index}` : sorted === `-${index}` ? "" : `${index}`);
      filter();
    });
    head.append(button);
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  none.querySelector("button").addEventListener("click", () => form.reset());
  window.addEventListener("hashchange", restore);
  form.hidden = false;
  restore();
}
