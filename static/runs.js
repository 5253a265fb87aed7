// overton: the progress of an analysis, without reloading the page. Each [data-progress] says where to ask;
// when the run has ended the page is reloaded once and shows the result. Without this script a link does
// that.
"use strict";

(() => {
  document.querySelectorAll("[data-progress]").forEach(follow);

  async function follow(place) {
    const bar = place.querySelector("progress");
    const stage = place.querySelector("[data-stage]"), left = place.querySelector("[data-left]");
    for (let wait = 1000; ; ) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (document.visibilityState === "hidden") continue;
      let now;
      try {
        const limit = new AbortController(); // AbortSignal.timeout is missing in older browsers
        const timer = setTimeout(() => limit.abort(), 10_000);
        const answer = await fetch(place.dataset.progress, { redirect: "error", signal: limit.signal });
        clearTimeout(timer);
        if (!answer.ok) throw new Error(answer.statusText);
        now = await answer.json();
        wait = 1000;
      } catch {
        wait = Math.min(wait * 2, 15_000); // the server may be restarting
        continue;
      }
      if (now.ended) return location.reload();
      if (now.of > 0) {
        bar.max = now.of;
        bar.value = now.done;
      }
      stage.textContent = now.stage;
      left.textContent = now.left ? `; ${now.left} left` : "";
    }
  }
})();
