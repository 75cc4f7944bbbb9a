// Sentences to fill, and numbers as they are written.

export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function number(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no zero has a sign
}

export function signed(value, digits) {
  const written = number(value, digits);
  return value > 0 && Number(written) ? `+${written}` : written;
}
