package templates

import (
	"strconv"

	"github.com/a-h/templ"
)

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// InLanguage marks text that is not in the language of the page.
func InLanguage(lang string) templ.Attributes {
	if lang == "" {
		return nil
	}
	return templ.Attributes{"lang": lang}
}

// documentTitle names the page first, since windows and tabs cut the rest off.
func documentTitle(f Frame) string {
	title := f.Title
	if f.Wrong {
		title = f.Words.Say("problem") + ": " + title
	}
	if f.StudyTitle != "" && f.StudyTitle != f.Title {
		title += " · " + f.StudyTitle
	}
	return title
}

// current marks the link of the page that is shown.
func current(here bool) templ.Attributes {
	if !here {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}
