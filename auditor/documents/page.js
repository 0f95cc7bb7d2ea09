"use strict";
(function () {
  var root = document.documentElement, button = document.getElementById("theme");
  var words = { system: "as the system", light: "light", dark: "dark" }, order = ["system", "light", "dark"], now = "system";
  try { now = localStorage.getItem("auditor-theme") || now; } catch (error) { /* pages from a file may not keep anything */ }
  function show() {
    if (now === "system") { root.removeAttribute("data-theme"); } else { root.setAttribute("data-theme", now); }
    button.textContent = "Colours: " + words[now];
  }
  button.addEventListener("click", function () {
    now = order[(order.indexOf(now) + 1) % order.length];
    try { localStorage.setItem("auditor-theme", now); } catch (error) { /* then only this page knows */ }
    show();
  });
  if (order.indexOf(now) < 0) { now = "system"; }
  button.hidden = false;
  show();
  function reach() { /* the tab key stops only where there is something to scroll to */
    document.querySelectorAll(".scroll,pre").forEach(function (one) {
      if (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight) { one.tabIndex = 0; }
      else { one.removeAttribute("tabindex"); }
    });
  }
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();
  addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not([open])").forEach(function (one) { one.open = true; one.dataset.shut = "1"; });
  });
  addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-shut]").forEach(function (one) { one.open = false; delete one.dataset.shut; });
  });
})();
