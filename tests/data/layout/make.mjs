// The x which d3's tidy tree gives every node of a few made trees, as test data for our own layout.
//
//     npm install d3-hierarchy@3.1.3
//     node make.mjs
//
// writes a file per tree beside this script. A line for every layer, from the root down: the x of its first node, and then
// the distance from each node to the next. `1.5*3` stands for three distances of 1.5 in a row. Every x was rounded to seven
// decimals before distances were taken, so that adding them up again loses nothing.
//
// The trees are made by the same few lines here and in tests/viewer/layout.rs, of whole numbers only.

import { writeFileSync } from "node:fs";
import { hierarchy, tree } from "d3-hierarchy";

// Marsaglia's xorshift with 32 bits.
class Draw {
  constructor(seed) {
    this.state = seed;
  }

  below(bound) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % bound;
  }
}

// The parent of each node after the root, which is an earlier node.
const KINDS = {
  // Walks down from the root, far more often to the left, and adds a node where there is room for another child.
  uct(size, draw) {
    const parents = [0];
    const room = [35];
    const children = [[]];
    while (parents.length < size) {
      let node = 0;
      while (children[node].length === room[node]) {
        let choice = room[node];
        for (let draws = 0; draws < 6; draws++) choice = Math.min(choice, draw.below(room[node]));
        node = children[node][choice];
      }
      children[node].push(parents.length);
      parents.push(node);
      room.push(7 + draw.below(29));
      children.push([]);
    }
    return parents;
  },

  // Every earlier node is as likely to be the parent.
  recursive(size, draw) {
    const parents = [0];
    for (let node = 1; node < size; node++) parents.push(draw.below(node));
    return parents;
  },

  // Few parents with many children each.
  wide(size, draw) {
    const parents = [0];
    for (let node = 1; node < size; node++) parents.push(draw.below(Math.min(node, 60)));
    return parents;
  },

  // The parent is one of the last few nodes.
  deep(size, draw) {
    const parents = [0];
    for (let node = 1; node < size; node++) parents.push(node - 1 - draw.below(Math.min(node, 6)));
    return parents;
  },

  // One long path with leaves on both sides of it.
  caterpillar(size, draw) {
    const parents = [0];
    let [before, now] = [0, 0];
    for (let node = 1; node < size; node++) {
      const choice = draw.below(4);
      parents.push(choice === 0 ? before : now);
      if (choice === 3) [before, now] = [now, node];
    }
    return parents;
  },

  // Paths of many lengths side by side, each with a tuft of leaves at its end.
  brooms(size, draw) {
    const parents = [0];
    while (parents.length < size) {
      let node = draw.below(Math.min(parents.length, 3));
      for (let length = draw.below(1 + draw.below(40)); length > 0; length--) {
        parents.push(node);
        node = parents.length - 1;
      }
      for (let leaves = draw.below(1 + draw.below(25)); leaves > 0; leaves--) parents.push(node);
    }
    return parents.slice(0, size);
  },
};

const TREES = [
  ["uct", 100000, 1],
  ["recursive", 50000, 2],
  ["wide", 20000, 3],
  ["deep", 10000, 4],
  ["caterpillar", 2000, 5],
  ["brooms", 10000, 6],
];

const UNIT = 10000000n;

function decimal(units) {
  const size = units < 0n ? -units : units;
  const fraction = String(size % UNIT).padStart(7, "0").replace(/0+$/, "");
  return (units < 0n ? "-" : "") + size / UNIT + (fraction && "." + fraction);
}

for (const [kind, size, seed] of TREES) {
  const parents = KINDS[kind](size, new Draw(seed));
  const children = parents.map(() => []);
  for (let node = 1; node < size; node++) children[parents[node]].push(node);
  const root = hierarchy(0, (node) => children[node]);
  tree().nodeSize([1, 1]).separation(() => 1)(root);

  const layers = [];
  // d3 goes through its nodes breadth first.
  root.each((node) => (layers[node.depth] ??= []).push(BigInt(Math.round(node.x * Number(UNIT)))));
  const lines = layers.map((layer) => {
    const words = [decimal(layer[0])];
    for (let index = 1, run = 0; index < layer.length; index += run) {
      const distance = layer[index] - layer[index - 1];
      run = 1;
      while (index + run < layer.length && layer[index + run] - layer[index + run - 1] === distance) run++;
      words.push(decimal(distance) + (run > 1 ? "*" + run : ""));
    }
    return words.join(" ");
  });
  writeFileSync(new URL(`${kind}.txt`, import.meta.url), lines.join("\n") + "\n");
  console.log(`${kind}: ${size} nodes, ${layers.length} layers`);
}
