// What is wrong with the page as it is laid out now, as a list of sentences.
(() => {
    const wrong = [];
    const say = words => { if (wrong.length < 20) wrong.push(words); };
    const right = document.documentElement.clientWidth;

    // ---- the part of a rectangle that its scrolling ancestors show ----
    const shown = (rect, element) => {
        let box = { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom };
        for (let e = element; e && e !== document.body; e = e.parentElement) {
            if (getComputedStyle(e).overflowX === "visible" || e instanceof SVGElement)
                continue;
            const clip = e.getBoundingClientRect();
            box = { left: Math.max(box.left, clip.left), right: Math.min(box.right, clip.right),
                    top: Math.max(box.top, clip.top), bottom: Math.min(box.bottom, clip.bottom) };
        }
        return box;
    };

    // ---- texts ----
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode, element = node.parentElement;
        if (!node.data.trim() || element.closest("title,style,defs") || !element.checkVisibility())
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
            const box = shown(rect, element);
            // A line's box is higher than its letters.
            const inset = (box.bottom - box.top) * 0.16;
            box.top += inset;
            box.bottom -= inset;
            if (box.right - box.left > 1 && box.bottom - box.top > 1)
                texts.push({ ...box, node, words: node.data.trim().slice(0, 40) });
        }
    }
    texts.sort((a, b) => a.top - b.top);
    for (let i = 0; i < texts.length; i++)
        for (let k = i + 1; k < texts.length && texts[k].top < texts[i].bottom - 1; k++) {
            const a = texts[i], b = texts[k];
            if (a.node !== b.node && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
                say(`"${a.words}" and "${b.words}" overlap`);
        }
    for (const t of texts)
        if (t.right > right + 1 || t.left < -1)
            say(`"${t.words}" runs out of the page (${t.left} to ${t.right} of ${right})`);
    if (document.scrollingElement.scrollWidth > right)
        say(`the page is ${document.scrollingElement.scrollWidth} wide, the window ${right}`);
    for (const e of document.querySelectorAll("svg text"))
        if (parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a < 8)
            say(`"${e.textContent}" is too small to be read`);

    // ---- contrast ----
    const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const numbers = color => (color.match(/[\d.]+/g) || []).map(Number);
    const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
    const behind = e => {
        for (; e; e = e.parentElement) {
            const c = numbers(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] === 1)
                return c;
        }
        return [255, 255, 255];
    };
    const poor = new Set();
    for (const t of texts) {
        const e = t.node.parentElement, style = getComputedStyle(e);
        const a = light(numbers(e instanceof SVGElement ? style.fill : style.color)), b = light(behind(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5)
            poor.add(`${e.tagName}.${e.className.baseVal ?? e.className} has a contrast of ${ratio.toFixed(2)}`);
    }
    poor.forEach(say);

    // ---- charts ----
    const charts = [...document.querySelectorAll("svg.plot")];
    for (const chart of charts) {
        const figure = chart.closest("figure"), name = figure.querySelector("figcaption").textContent;
        const frame = chart.getBoundingClientRect(), points = [...chart.querySelectorAll("use")];
        if (!points.length || points.some(p => !p.querySelector("title").textContent))
            say(`${name}: no data, or data without words`);
        if (figure.querySelectorAll("tbody tr").length === 0)
            say(`${name}: no table of its values`);
        if (chart.querySelectorAll(".tx").length < 3 || chart.querySelectorAll(".ty").length < 2)
            say(`${name}: an axis lacks labels`);
        for (const p of points) {
            const x = p.x.baseVal.value, y = p.y.baseVal.value;
            if (!(x >= 54 && x <= 408 && y >= 26 && y <= 220))
                say(`${name}: a point lies outside, at ${x},${y}`);
        }
        if (frame.width < 200 || frame.height < 100)
            say(`${name}: is drawn ${frame.width} x ${frame.height}`);
    }

    // ---- links ----
    const ids = new Map();
    document.querySelectorAll("[id]").forEach(e => ids.set(e.id, (ids.get(e.id) || 0) + 1));
    ids.forEach((count, id) => { if (count > 1) say(`${count} elements are called ${id}`); });
    for (const a of document.querySelectorAll("a"))
        if (!a.getAttribute("href").startsWith("#") || !ids.has(a.getAttribute("href").slice(1)))
            say(`the link ${a.getAttribute("href")} leads nowhere`);

    return { wrong, charts: charts.length, texts: texts.length, title: document.title,
             scripts: document.querySelectorAll("script,iframe,img,link,object").length };
})()
