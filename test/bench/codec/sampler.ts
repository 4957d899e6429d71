/**
 * Child process of the codec bench: one library, one operation, so that no call site sees the types of another library.
 * Arguments: library, operation (parse or format). Standard input: the texts up to an empty line, then one line for each
 * sample; every sample is answered with nanoseconds of CPU time per operation.
 */
import { Address4, Address6 } from 'ip-address';
import ipaddr from 'ipaddr.js';
import { createInterface } from 'node:readline';
import { addressOf, parseAddress } from '../../../operator/addressing/address';

const SAMPLE_MICROSECONDS = 40_000;
const WARM_UP_SAMPLES = 5;

/** Does the operation once for every text; the result depends on all of them, so that nothing can be left out. */
type Pass = () => number;

const PASSES: Readonly<Record<string, (texts: readonly string[]) => Pass>> = {
  'ours parse': (texts) => () => {
    let sum = 0;
    for (const text of texts) {
      const outcome = parseAddress(text);
      if (outcome.ok) sum += outcome.value.w3;
    }
    return sum;
  },
  'ours format': (texts) => {
    const addresses = texts.map(addressOf);
    return () => {
      let sum = 0;
      for (const address of addresses) sum += address.toString().length;
      return sum;
    };
  },
  'ipaddr.js parse': (texts) => () => {
    let sum = 0;
    for (const text of texts) sum += ipaddr.parse(text).kind().length;
    return sum;
  },
  'ipaddr.js format': (texts) => {
    const addresses = texts.map((text) => ipaddr.parse(text));
    return () => {
      let sum = 0;
      for (const address of addresses) sum += address.toString().length;
      return sum;
    };
  },
  'ip-address parse': (texts) => {
    const read = texts[0]?.includes(':') ? (text: string) => new Address6(text) : (text: string) => new Address4(text);
    return () => {
      let sum = 0;
      for (const text of texts) sum += read(text).parsedAddress.length;
      return sum;
    };
  },
};

function sample(pass: Pass, size: number): number {
  const start = process.cpuUsage();
  for (let passes = 1; ; passes++) {
    pass();
    const { user, system } = process.cpuUsage(start);
    if (user + system >= SAMPLE_MICROSECONDS) return ((user + system) * 1000) / (passes * size);
  }
}

async function main(name: string): Promise<void> {
  const prepare = PASSES[name];
  if (prepare === undefined) throw new RangeError(`no variant "${name}"`);
  const texts: string[] = [];
  let pass: Pass | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    if (pass !== undefined) console.log(String(sample(pass, texts.length)));
    else if (line !== '') texts.push(line);
    else {
      pass = prepare(texts);
      for (let i = 0; i < WARM_UP_SAMPLES; i++) sample(pass, texts.length);
    }
  }
}

void main(process.argv.slice(2).join(' '));
