// Package catalogue holds the words of the participants' pages, one file of
// them for each language. What a study itself says (its questions, consent
// text, survey items) is not here.
package catalogue

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Words says things in one language.
type Words struct {
	Lang string // BCP 47 tag, for the lang attribute
	Dir  string // "ltr" or "rtl", for the dir attribute

	tag     language.Tag // of the entries, for their plural rules
	entries map[string]entry
}

// entry is one text, or one for each plural form of the argument n.
type entry map[plural.Form]string

var forms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other,
}

func (e *entry) UnmarshalJSON(data []byte) error {
	*e = entry{}
	var text string
	if json.Unmarshal(data, &text) == nil {
		(*e)[plural.Other] = text
		return nil
	}
	var byForm map[string]string
	if err := json.Unmarshal(data, &byForm); err != nil {
		return fmt.Errorf("expected a text or an object of plural forms: %w", err)
	}
	for name, text := range byForm {
		form, ok := forms[name]
		if !ok {
			return fmt.Errorf("unknown plural form %q", name)
		}
		(*e)[form] = text
	}
	if _, ok := (*e)[plural.Other]; !ok {
		return fmt.Errorf(`plural form "other" is missing`)
	}
	return nil
}

var (
	tags      []language.Tag // English first: what no file fits falls back to it
	languages = map[language.Tag]map[string]entry{}
	matcher   language.Matcher
)

func init() {
	names, err := files.ReadDir(".")
	if err != nil {
		panic("catalogue: " + err.Error())
	}
	tags = []language.Tag{language.English}
	for _, f := range names {
		data, err := files.ReadFile(f.Name())
		if err != nil {
			panic("catalogue: " + err.Error())
		}
		var entries map[string]entry
		if err := json.Unmarshal(data, &entries); err != nil {
			panic("catalogue: " + f.Name() + ": " + err.Error())
		}
		tag := language.MustParse(strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
		languages[tag] = entries
		if tag != language.English {
			tags = append(tags, tag)
		}
	}
	matcher = language.NewMatcher(tags)
}

// rightToLeft are the scripts in use that run from right to left.
var rightToLeft = map[string]bool{
	"Adlm": true, "Arab": true, "Hebr": true, "Mand": true, "Nkoo": true,
	"Rohg": true, "Samr": true, "Syrc": true, "Thaa": true,
}

// For returns the words for a study's language, a BCP 47 tag such as "en" or
// "pt-BR". A language without a catalogue gets the English words.
func For(lang string) Words {
	tag, err := language.Parse(lang)
	if err != nil {
		tag = language.English
	}
	_, index, _ := matcher.Match(tag)
	tag = tags[index]
	return Words{Lang: tag.String(), Dir: direction(tag), tag: tag, entries: languages[tag]}
}

func direction(tag language.Tag) string {
	if script, _ := tag.Script(); rightToLeft[script.String()] {
		return "rtl"
	}
	return "ltr"
}

// Say returns the text for a key. args are pairs of a name and a value that
// replaces {name}; an integer named n also chooses the plural form. A key that
// the language lacks is said in English.
func (w Words) Say(key string, args ...any) string {
	e, ok := w.entries[key]
	tag := w.tag
	if !ok {
		e, ok = languages[language.English][key]
		tag = language.English
	}
	if !ok {
		return key
	}
	form := plural.Other
	replace := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		name := fmt.Sprint(args[i])
		replace = append(replace, "{"+name+"}", fmt.Sprint(args[i+1]))
		if n, isInt := args[i+1].(int); isInt && name == "n" {
			form = plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)
		}
	}
	text, ok := e[form]
	if !ok {
		text = e[plural.Other]
	}
	return strings.NewReplacer(replace...).Replace(text)
}

// Has says whether English has a text for the key.
func Has(key string) bool {
	_, ok := languages[language.English][key]
	return ok
}
