// Package sim provides virtual participants: programs that go through the real pages of a running site as
// people do, each in its own browser, and answer from planted viewpoint groups. What they believed and what
// they sent is recorded (Truth), so that it can be compared with what the site stored (Compare) and with what
// an analysis found (Recovery).
//
// The walkers know pages only by their forms: paths, field names, and where a page shows the question (its
// h1) and what is to be judged (its blockquote). Everything about them follows from the seed and from what
// the pages show: the same seed gives the same people, and the same answers on the same pages.
//
// Not here: the demo study's content (sim/demo), and any knowledge of how the site works.
package sim
