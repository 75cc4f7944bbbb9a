// What may be changed in a trained model, as bottomup.models.Changes has it. Parts have the names of
// PyTorch's modules: "encoder_layers.0.attention".

const NOTHING = {
  heads: [], // "decoder_layers.1.cross_attention:2": head 2, counted from 0, puts out zeros
  skips: [], // "encoder_layers.0.attention": x <- update, without x
  updates: [], // "decoder_layers.0.feed_forward": x <- x, without the update
  positions: [], // "source", "target": no position is added to the side's embeddings
  causal: true, // false: a target position also reads those behind it
  hidden: [], // source positions that nobody reads
  patches: [], // { station, position, state }: a state of the stream is replaced by another
};

// Returns the changes in the form in which the model asks for them.
export function changes(options = {}) {
  const unknown = Object.keys(options).filter((name) => !(name in NOTHING));
  if (unknown.length) throw new Error(`changes: expected some of ${Object.keys(NOTHING)}, got ${unknown}`);
  const all = { ...NOTHING, ...options }, headsOff = new Map();
  for (const name of all.heads) {
    const [attention, head] = name.split(":");
    headsOff.set(attention, (headsOff.get(attention) ?? new Set()).add(Number(head)));
  }
  const sets = ["skips", "updates", "positions", "hidden"].map((name) => [name, new Set(all[name])]);
  return { ...all, ...Object.fromEntries(sets), headsOff };
}

export const UNCHANGED = changes();

// The names that a model of this size has, for each kind of change.
export function namesOf({ encoder_layers, decoder_layers, num_heads }) {
  const layers = (side, count) => Array.from({ length: count }, (_, layer) => `${side}_layers.${layer}`);
  const encoder = layers("encoder", encoder_layers), decoder = layers("decoder", decoder_layers);
  const sublayers = [
    ...encoder.flatMap((layer) => ["attention", "feed_forward"].map((part) => `${layer}.${part}`)),
    ...decoder.flatMap((layer) => ["attention", "cross_attention", "feed_forward"].map((part) => `${layer}.${part}`)),
  ];
  const attentions = sublayers.filter((name) => name.endsWith("attention"));
  const heads = attentions.flatMap((name) => Array.from({ length: num_heads }, (_, head) => `${name}:${head}`));
  const stations = ["source", ...encoder, "memory", "target", ...decoder];
  return { heads, attentions, sublayers, positions: ["source", "target"], stations };
}

// Throws where a change names a part that the model does not have: it would change nothing.
export function checkNames(change, config) {
  const { heads, sublayers, positions, stations } = namesOf(config);
  const wanted = { heads, skips: sublayers, updates: sublayers, positions };
  for (const [kind, known] of Object.entries(wanted)) {
    for (const name of change[kind])
      if (!known.includes(name)) throw new Error(`${kind}: expected one of ${known.join(", ")}, got ${name}`);
  }
  for (const { station, state } of change.patches) {
    if (!stations.includes(station))
      throw new Error(`patches: expected one of ${stations.join(", ")}, got ${station}`);
    if (state.length !== config.d_model)
      throw new Error(`patches: expected a state of ${config.d_model} numbers, got ${state.length}`);
  }
}
