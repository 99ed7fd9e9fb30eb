// Blocks that are scrolled sideways take the focus, so that arrow keys scroll them. The theme does it only for a mouse.
"use strict";

function takeFocus() {
  for (const block of document.querySelectorAll("pre > code, pre.code, .output, .md-typeset__scrollwrap")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
  }
}

window.addEventListener("load", takeFocus);
window.addEventListener("resize", takeFocus);
