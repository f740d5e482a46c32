// Adds a search and copy buttons to the pages of make docs-html, which work without them, too.
"use strict";

// Returns a new element with some properties.
function element(name, properties, ...children) {
    const created = Object.assign(document.createElement(name), properties);
    created.append(...children);
    return created;
}

// Copies the code of a block; of a shown terminal, only the commands.
async function copy(pre, button) {
    const lines = pre.textContent.split("\n");
    const commands = lines.filter((line, index) => line.startsWith("$ ") || (index > 0 && lines[index - 1].endsWith("\\")));
    const isTerminal = pre.classList.contains("terminal") && commands.length > 0;
    const text = isTerminal ? commands.map((line) => line.replace(/^\$ /, "")).join("\n") : pre.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
    } catch {
        // The browser forbids it: select the block, so that the user can copy it.
        getSelection().selectAllChildren(pre);
        button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

for (const pre of document.querySelectorAll("pre")) {
    const button = element("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", () => copy(pre, button));
    const block = element("div", { className: "code" });
    pre.replaceWith(block);
    block.append(pre, button);
}

// Loads search.js, which sets `searchIndex` to rows of title, address, kind and place. A page from a file may load a script, but not data.
let loading;
function loadIndex() {
    loading ??= new Promise((resolve) => {
        document.head.append(element("script", { src: "search.js", onload: () => resolve(searchIndex) }));
    });
    return loading;
}

// Returns the rows that contain all words of a query, the best first: by the title or its last part, its beginning, and its words.
function found(rows, query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const whole = words.join(" ");
    const rank = ([title, , kind, place]) => {
        const text = title.toLowerCase();
        const all = `${text} ${place.toLowerCase()}`;
        if (words.length === 0 || !words.every((word) => all.includes(word))) return -1;
        const name = text.replace(/[(:].*/, "").split(".").pop();
        const match = name === whole || text === whole ? 0 : text.startsWith(whole) ? 1 : words.every((word) => text.includes(word)) ? 2 : 3;
        return match * 10 + (kind === "Article" ? 0 : kind === "Heading" || kind === "Case" ? 2 : 1);
    };
    return rows.map((row) => ({ row, rank: rank(row) })).filter((one) => one.rank >= 0)
        .sort((a, b) => a.rank - b.rank || a.row[0].length - b.row[0].length).map((one) => one.row);
}

const input = element("input", { type: "search", placeholder: "Search (press /)", autocomplete: "off" });
input.setAttribute("aria-label", "Search titles, symbols and headings");
const list = element("ol", { hidden: true });
const search = element("div", { className: "search" }, input, list);
document.querySelector("header").append(search);

async function show() {
    const rows = await loadIndex();
    const results = found(rows, input.value);
    list.hidden = input.value.trim() === "";
    list.replaceChildren(...results.slice(0, 40).map(([title, address, kind, place]) =>
        element("li", {}, element("a", { href: address }, title, element("small", { textContent: `${kind} · ${place}` })))));
    if (results.length === 0) list.append(element("li", { textContent: "Nothing was found." }));
}

input.addEventListener("focus", loadIndex);
input.addEventListener("input", show);
document.addEventListener("click", (event) => { if (!search.contains(event.target)) list.hidden = true; });
document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const index = links.indexOf(document.activeElement);
    const isTyping = document.activeElement === input;
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
        input.focus();
    } else if (event.key === "Escape") {
        list.hidden = true;
    } else if (search.contains(event.target) && event.key === "ArrowDown") {
        links[index + 1]?.focus();
    } else if (search.contains(event.target) && event.key === "ArrowUp") {
        (links[index - 1] ?? input).focus();
    } else if (isTyping && event.key === "Enter" && links.length > 0) {
        location.href = links[0].href;
    } else {
        return;
    }
    event.preventDefault();
});

// index.html?q=WORDS opens with the results, for example from a bookmark.
const query = new URLSearchParams(location.search).get("q");
if (query !== null) {
    input.value = query;
    show();
}
