package study

import (
	"fmt"
	"strings"
	"testing"
)

func TestPersonalDataIsPointedOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"Write to anna.b+x@example.co.uk, please.", "mail:anna.b+x@example.co.uk"},
		{"Ich bin jörg@müller.de.", "mail:jörg@müller.de"},
		{"anna (at) example (dot) org", "mail:anna (at) example (dot) org"},
		{"mail me: anna.b at gmail dot com", "mail:anna.b at gmail dot com"},
		{"See https://example.org/a?b=c. It is all there", "link:https://example.org/a?b=c"},
		{"www.example.org says so", "link:www.example.org"},
		{"as example.com/page says", "link:example.com/page"},
		{"t.me/somebody", "link:t.me/somebody"},
		{"My id is 5f3c2a1b9d8e7f6a5b4c3d2e", "id:5f3c2a1b9d8e7f6a5b4c3d2e"},
		{"Call +44 20 7946 0958 now", "phone:+44 20 7946 0958"},
		{"0049 30 1234567", "phone:0049 30 1234567"},
		{"I am at (212) 555-0134.", "phone:(212) 555-0134"},
		{"212-555-0134", "phone:212-555-0134"},
		{"ring 2125550134 tonight", "phone:2125550134"},
		{"Meine Nummer: 030/1234567", "phone:030/1234567"},
		{"06 12 34 56 78", "phone:06 12 34 56 78"},
		{"07911 123456", "phone:07911 123456"},
		{"my cell is 555-0134", "phone:555-0134"},
		{"телефон: 8 912 345 67 89", "phone:8 912 345 67 89"},
		{"follow @some_body on there", "handle:@some_body"},
		{"(@somebody)", "handle:@somebody"},
		{"I am somebody#1234", "handle:somebody#1234"},
		{"insta: some.body", "handle:insta: some.body"},
		{"a@b.org and @c_d and www.e.org", "mail:a@b.org handle:@c_d link:www.e.org"},
		// None of these is about anyone.
		{"Since 1990, and up to 2019-2024, it grew 1990 2000.", ""},
		{"They work 24/7, 365 days.", ""},
		{"It costs $1,250,000.00 or 10 000 000 € a year.", ""},
		{"About 8000000000 people, or 8,000,000,000.", ""},
		{"On 2024-05-17, 17.05.2024, 05/17/2024 and 01.02.2024 it rained.", ""},
		{"Only 3.5 % of 100 000 000.", ""},
		{"It ends here.It goes on there, e.g. in the U.S. or the E.U.", ""},
		{"We meet @ 5pm", ""},
		{"Version 2.10.4.1 of the plan", ""},
		{"Section 230 and Article 8(2)", ""},
		{"Tout va bien, c'est 50/50 depuis 20 ans.", ""},
		{"يجب أن ندفع أكثر من ١٢٣٤٥٦٧٨ دينار", ""},
		{"we should, or/and must", ""},
	} {
		var got []string
		for _, h := range Hints(c.text) {
			got = append(got, fmt.Sprintf("%s:%s", h.Kind, c.text[h.From:h.To]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: got %q, want %q", c.text, s, c.want)
		}
	}
}

func TestEmptyLookingTextIsPointedOut(t *testing.T) {
	t.Parallel()
	for _, empty := range []string{
		"idk", "I don't know.", "I don’t know", "N/A", "n/a", "na", "...", "—", "?!", "", "  \n", "aaaa", "x", "xxxxx", "1234", "🙂🙂", "asdf", "asdasd", "qwertz", "sdfsdf", "hjkhk",
		"ASDF jklö", "lololo", "nothing", "None.", "no", "Keine Ahnung!", "weiß nicht", "je ne sais pas", "No sé", "não sei", "не знаю", "不知道", "特になし", "لا أعرف",
	} {
		hints := Hints(empty)
		if len(hints) != 1 || hints[0].Kind != HintEmpty {
			t.Errorf("%q: %v, want it called empty", empty, hints)
		}
	}
	for _, full := range []string{
		"Less tax.", "Tax!", "Freiheit", "GDPR and HTML", "Krk", "čtvrt", "Strč prst skrz krk", "zmrzl", "Papa", "bonbon", "Berlin Berlin", "自由", "是", "自由です", "모두 자유롭게", "свобода",
		"لا أعرف لكنني أميل إلى الموافقة", "I don't know, but I lean to the first.", "no taxes", "हाँ, ज़रूर", "Nothing should change.", "hmm, rather not", "NATO",
	} {
		if hints := Hints(full); len(hints) != 0 {
			t.Errorf("%q is pointed out: %v", full, hints)
		}
	}
	if h := Hints("  idk \n"); h[0].From != 2 || h[0].To != 5 {
		t.Errorf("the empty text lies at %+v", h[0])
	}
}

func FuzzHintsLieWithinTheText(f *testing.F) {
	for _, seed := range []string{"anna@example.org", "+44 20 7946 0958", "\xff@\xff.\xff", "idk", "٠٠٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨", "@..", "www.)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, h := range Hints(text) {
			if h.From < last || h.To < h.From || h.To > len(text) {
				t.Fatalf("%q: %+v", text, h)
			}
			last = h.To
		}
	})
}
