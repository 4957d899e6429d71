import { parseClientsText } from '../../../../../operator/contract/ipam-api/v3/clients-text';

const HASH = 'ab'.repeat(32);
const problems = (text: string): readonly string[] => {
  const outcome = parseClientsText(text);
  return outcome.ok ? [] : outcome.problems.map(({ message }) => message);
};

describe('parseClientsText', () => {
  test('reads tokens, certificates, roles, rates and quotas', () => {
    const text = `
version: 1
clients:
  - { name: a, role: cluster, clusterUids: [u], tokenSha256: [${HASH}], clusterQuota: 10, namespaceQuota: 2, operator: true }
  - { name: b, role: reader, certificates: [{ san: 'DNS:b.example' }], requestsPerSecond: 0.5, burst: 3 }
`;
    expect(parseClientsText(text)).toMatchObject({
      ok: true,
      value: [
        { name: 'a', operator: true },
        { name: 'b', burst: 3 },
      ],
    });
  });

  test('tells each problem with its place', () => {
    const text = `
version: 1
clients:
  - { name: a, role: cluster, tokenSha256: [${HASH}] }
  - { name: a, role: admin, clusterUids: [u], certificates: [{}] }
  - { name: c, role: reader, operator: true }
`;
    expect(problems(text)).toEqual([
      'clients[0].clusterUids: a client of role cluster needs one or more',
      'clients[1].name: "a" is given twice',
      'clients[1].clusterUids: a client of role admin has none',
      'clients[1].certificates[0]: must name subject, san or spkiSha256',
      'clients[2].operator: only a client of role cluster can be an operator',
      'clients[2].tokenSha256: missing; give tokenSha256 or certificates',
    ]);
  });

  test('never repeats what stands in the place of a hash, not even where the text is no YAML', () => {
    const token = 'a-token-in-clear';
    const text = `version: 1\nclients: [{ name: a, role: admin, tokenSha256: [${token}] }]`;
    expect(problems(text).join()).toContain('must be the SHA-256 of a token');
    expect(problems(text).join()).not.toContain(token);
    expect(problems(`${text}\n  ${token}: [`).join()).not.toContain(token);
  });

  test('suggests the word that was meant', () => {
    expect(problems('version: 1\nclients: [{ name: a, role: admin, tokenSha265: [] }]').join()).toContain(
      '"tokenSha256"',
    );
  });
});
