// Sentences to fill, and numbers as they are written.

export function fill(template, values) {
  return withParticles(template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole));
}

// A Korean template gives both forms of a particle, {word}을(를); the sound before it decides, of letters
// and digits that of their names. bottomup/particles.py has the same rules.
const BOTH = /([가-힣A-Za-z0-9%])([^\p{L}\p{N}_{}]*?)([은이을과]\([는가를와]\)|[는가를와]\([은이을과]\)|\(으\)로|으\(로\))/gu;

function withParticles(text) {
  return text.replace(BOTH, (_, last, marks, both) => {
    const end = /[가-힣]/.test(last) ? (last.charCodeAt() - "가".charCodeAt()) % 28 : 0; // the 8th is ㄹ
    const isLiquid = end === 8 || /[178lr]/i.test(last);
    const isClosed = end > 0 || isLiquid || /[036mn]/i.test(last);
    if (both.includes("로")) return last + marks + (isClosed && !isLiquid ? "으로" : "로");
    return last + marks + both.match(isClosed ? /[은이을과]/ : /[는가를와]/)[0];
  });
}

export function number(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no zero has a sign
}

export function signed(value, digits) {
  const written = number(value, digits);
  return value > 0 && Number(written) ? `+${written}` : written;
}
