// What the theme leaves out for screen readers.
"use strict";
document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
for (const each of document.querySelectorAll(".md-typeset__scrollwrap, .highlight > table, .highlighttable .code pre, pre > code")) {
  if (each.scrollWidth > each.clientWidth && !each.hasAttribute("tabindex")) each.tabIndex = 0;
}
