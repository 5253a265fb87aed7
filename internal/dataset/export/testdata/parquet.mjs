// Prints each row of a Parquet file as one line of JSON, by a reader that has
// nothing to do with the program's own: node parquet.mjs FILE
import { readFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const bytes = readFileSync(process.argv[2]);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
for (const row of await parquetReadObjects({ file, compressors })) {
  console.log(JSON.stringify(row, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
}
