package templates

import "github.com/a-h/templ"

// Example is a page in one state, with made-up values.
type Example struct {
	Name    string // unique; pages behind the sign-in begin with "admin "
	Content templ.Component
}

// Gallery is every page of this package in its states, with made-up values. text
// is shown wherever a study or a person can put text.
func Gallery(frame Frame, text string) []Example {
	return []Example{
		{"notice", Notice(NoticePage{frame, "other_window", text, "/s/x/start", []Kept{{"k1", text, text}}, text})},
		{"admin notice", AdminNotice(AdminNoticePage{Admin{Frame: frame}, text, "To the sign-in", "/admin/sign-in", text})},
	}
}
