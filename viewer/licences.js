// Copies the licences of what the bundle holds beside it.
import { readFileSync, writeFileSync } from "node:fs";

const parts = ["three", "uplot"].map((name) => {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync("../src/cardan/view/animation/viewer/LICENSES.txt", parts.join("\n----\n\n"));
