// Package gallery holds every page of the site in its states, with made-up
// values and without a database: to look at while a page is changed, and for
// tests that hold for every page.
package gallery

import (
	"slices"

	"overton/templates"
	"overton/templates/accounts"
	"overton/templates/analyse"
	"overton/templates/catalogue"
	"overton/templates/setup"
	"overton/templates/take"
	"overton/templates/watch"
)

// Pages are all pages in the words of a language, below a base path. text is
// shown wherever a study or a person can put text.
func Pages(words catalogue.Words, base, text string) []templates.Example {
	f := templates.Frame{Words: words, Base: base, Title: text, StudyTitle: text, StudyLang: "fr", Contact: text}
	return slices.Concat(take.Gallery(f, text), templates.Gallery(f, text), setup.Gallery(f, text),
		watch.Gallery(f, text), analyse.Gallery(f, text), accounts.Gallery(f, text))
}
