// What the theme leaves out: names and keys for everyone, pasted messages in the search, and reading from a folder.
"use strict";

document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");

// What scrolls sideways can be reached by keyboard.
for (const each of document.querySelectorAll(".md-typeset__scrollwrap, .ve-scroll, pre > code")) {
  if (each.scrollWidth > each.clientWidth && !each.hasAttribute("tabindex")) each.tabIndex = 0;
}

// The buttons of the phone layout are labels, which the keyboard passes by.
for (const label of document.querySelectorAll(".md-header__button[for=__drawer], .md-header__button[for=__search]")) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", ariaLabel: label.htmlFor === "__drawer" ? "Menu" : "Search" });
  button.append(...label.childNodes);
  button.addEventListener("click", () => document.getElementById(label.htmlFor).click());
  label.append(button);
}

// The tab of a page that is not in the navigation itself: an error, a topic, a setting, a release.
for (const tab of document.querySelectorAll(".md-tabs__link")) {
  const under = tab.pathname.replace(/index\.html$/, ""), home = document.querySelector(".md-logo").pathname.replace(/index\.html$/, "");
  if (under !== home && location.pathname.startsWith(under)) tab.parentElement.classList.add("md-tabs__item--active");
}

// A short name is not broken at its hyphens: it will be typed again.
for (const each of document.querySelectorAll(".md-typeset :not(pre) > code")) {
  if (/^\S{1,34}$/.test(each.textContent)) each.classList.add("ve-whole");
}

// On a phone, the menu of an error page has its sections too: the theme shows them only for pages in the navigation.
const sections = document.querySelector(".md-sidebar--secondary .md-nav__list"), menu = document.querySelector("[data-ve-sections]");
if (sections && menu) {
  menu.append(...[...sections.children].map((each) => each.cloneNode(true)));
  menu.addEventListener("click", () => document.getElementById("__drawer").click());
}

// The marks of a message or flag would be operators of the search: it gets the words alone. What was typed stays as it is.
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (typeof message?.data !== "string") return post.call(this, message, ...rest);
  if (!asked.has(this)) {
    this.addEventListener("message", (event) => {  // the theme, which listens longer, is told again
      const isSorted = event.isTrusted && titlesFirst(event.data?.data?.items, asked.get(this));
      if (isSorted) this.dispatchEvent(new MessageEvent("message", { data: event.data }));
    });
  }
  asked.set(this, plainWords(message.data));
  return post.call(this, { ...message, data: message.data.replace(/[^\p{L}\p{N}.]+|\.(?!\d)/gu, " ").trim() }, ...rest);
};

// Of the pages that are found, those come first whose title has the longest run of what was typed; an equal title leads.
const asked = new WeakMap();
const plainWords = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu)?.slice(0, 80) ?? [];
const longestRun = (title, query) => {
  let best = 0, before = [];
  for (const word of title) {
    before = query.map((each, at) => each === word ? (before[at - 1] ?? 0) + 1 : 0);
    best = Math.max(best, ...before);
  }
  return best > 1 || query.length === 1 ? best : 0;
};
const titlesFirst = (found, query) => {
  if (!Array.isArray(found) || !query.length) return false;
  const keys = new Map(found.map((each) => {
    const title = plainWords((each.find(({ location }) => !location.includes("#")) ?? each[0]).title.replace(/<[^>]*>/g, ""));
    return [each, [title.join(" ") === query.join(" ") ? 1 : 0, longestRun(title, query)]];
  }));
  found.sort((one, other) => keys.get(other)[0] - keys.get(one)[0] || keys.get(other)[1] - keys.get(one)[1]);
  return true;
};

// A new question is answered from the top, wherever the last answer was left.
document.querySelector(".md-search__input")?.addEventListener("input", () => {
  document.querySelector(".md-search__scrollwrap").scrollTop = 0;
});

// From a plain folder, a link to a folder would list its files, and no browser lets the search read its index.
if (location.protocol === "file:") {
  for (const link of document.links) {
    if (link.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
  }
  for (const each of document.querySelectorAll(".md-search, [for=__search]")) each.hidden = true;
}
