// The theme reads this when the site is opened from a folder, where no search can run: nothing to find, no complaint.
var __index = { config: { lang: ["en"], separator: "\\s", pipeline: [], fields: {} }, docs: [] };
