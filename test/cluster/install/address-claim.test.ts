import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { CLAIM_SAMPLES, type ClaimSample } from '../../support/address-claim-samples';
import type { ControlPlane } from '../support/control-plane';
import type { ServerAnswer } from '../support/cluster-client';
import { synthesizedYaml } from '../support/installation';
import { useControlPlane } from '../support/use-control-plane';

const COLLECTION = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}`;

const plane = useControlPlane({
  prepare: async ({ client, folder }) => {
    const { objects } = synthesizedYaml(folder);
    // without the policy that guards claims, so that nothing but the schema speaks
    await client.apply(objects.filter(({ kind }) => kind === 'CustomResourceDefinition'));
  },
});

/** Asks the server for a sample; what an update starts from is stored and taken away again. */
async function ask({ client }: ControlPlane, { object, before }: ClaimSample): Promise<ServerAnswer> {
  if (before === undefined) return client.attempt('POST', `${COLLECTION}?dryRun=All`, object);
  const path = `${COLLECTION}/${before.metadata.name}`;
  const { resourceVersion } = (await client.request('POST', COLLECTION, before)).metadata;
  const changed = { ...object, metadata: { ...object.metadata, resourceVersion } };
  const answer = await client.attempt('PUT', `${path}?dryRun=All`, changed);
  await client.request('DELETE', path);
  return answer;
}

// A rule over two fields is reported at the object around them, and names the field in its message.
const causesOf = ({ body }: ServerAnswer): string =>
  (body.details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`).join('\n');

describe('the API server and an AddressClaim', () => {
  test.each(CLAIM_SAMPLES.filter(({ refusedAt }) => refusedAt === undefined))('accepts $title', async (sample) => {
    const { status, body } = await ask(plane(), sample);

    expect([body.message, status]).toEqual([undefined, sample.before === undefined ? 201 : 200]);
  });

  test.each(CLAIM_SAMPLES.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuses $title at $refusedAt',
    async (sample) => {
      const answer = await ask(plane(), sample);

      expect(answer.status).toBe(422);
      expect(causesOf(answer)).toContain(sample.refusedAt);
    },
  );
});
