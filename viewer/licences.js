// Copies the licences of what each bundle holds beside it.
import { readFileSync, writeFileSync } from "node:fs";

const held = { animation: ["three", "uplot"], charts: ["uplot"] };
for (const [folder, names] of Object.entries(held)) {
  const parts = names.map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
  });
  writeFileSync(`../src/cardan/view/${folder}/viewer/LICENSES.txt`, parts.join("\n----\n\n"));
}
