import { parseAddress } from '../../../operator/addressing/address';
import { parsePrefix } from '../../../operator/addressing/prefix';
import { disagreementsWith, readCorpus, type CorpusRow } from '../../support/address-corpus';

const corpus = readCorpus();

describe('the frozen corpus of net/netip', () => {
  test('has more than 20,000 inputs and enough of every verdict', () => {
    const count = (verdict: CorpusRow['verdict']): number => corpus.filter((row) => row.verdict === verdict).length;

    expect(corpus.length).toBeGreaterThanOrEqual(20_064);
    expect(count('address')).toBeGreaterThan(4_000);
    expect(count('prefix')).toBeGreaterThan(1_000);
    expect(count('host-bits')).toBeGreaterThan(1_000);
    expect(count('neither')).toBeGreaterThan(10_000);
  });

  test('agrees with parseAddress and parsePrefix on every verdict and every canonical text', () => {
    expect(disagreementsWith(corpus)).toEqual([]);
  });

  test('never gets a text accepted as address and as prefix at once', () => {
    const both = corpus.filter(({ input }) => parseAddress(input).ok && parsePrefix(input).ok);

    expect(both).toEqual([]);
  });

  test('gets a sentence with the input and a reason for every refusal', () => {
    const short = corpus.filter(({ input }) => input.length <= 64);
    const silent = short.filter(({ input }) => {
      const outcome = parseAddress(input);
      return !outcome.ok && !outcome.refusal.message.startsWith(`${JSON.stringify(input)} is not an IP address: `);
    });

    expect(silent).toEqual([]);
  });

  test('gets only suggestions that are accepted', () => {
    const wrong = corpus.filter(({ input }) => {
      const address = parseAddress(input);
      const prefix = parsePrefix(input);
      const fromAddress =
        address.ok || address.refusal.suggestion === undefined || parseAddress(address.refusal.suggestion).ok;
      const fromPrefix =
        prefix.ok || prefix.refusal.suggestion === undefined || parsePrefix(prefix.refusal.suggestion).ok;
      return !fromAddress || !fromPrefix;
    });

    expect(wrong).toEqual([]);
  });
});
