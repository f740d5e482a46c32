"use strict";

async function show() {
    const articles = await (await fetch("/articles")).json();
    for (const { id, name, note, amount, currency } of articles) {
        const item = document.querySelector("template").content.cloneNode(true);
        item.querySelector("form").action = `/buy/${id}`;
        item.querySelector("h2").textContent = name;
        item.querySelector(".note").textContent = note;
        item.querySelector(".price").textContent = money(amount, currency);
        document.querySelector("#articles").append(item);
    }
}

show();
