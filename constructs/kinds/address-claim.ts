import { ApiObject } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';

import { unusableReason } from '../../operator/addressing/address';
import { ADDRESS_CLAIM, addressClaimProblems, nameOfClaim } from '../../operator/contract/kinds/address-claim';
import { quoteValue } from '../../operator/contract/quote';
import type { Refusal } from '../../operator/errors/outcome';
import { registerObject, takenNameProblems, type ObjectOfApp } from '../app/app-objects';
import { refuseForeignTwins } from '../app/foreign-objects';
import type { AddressClaimSpec } from '../crds/address-claim';
import { clusterScoped } from '../objects/names';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import type { AddressClaimProps } from './address-claim-props';
import { CLAIM } from './address-claim-rules';
import { claimClashes, claimedRange, registerClaim, type ClaimOfApp } from './claim-clashes';

/** Stands in while the spec names no prefix; synth fails before it is written. */
const NO_NAME = 'invalid';

/**
 * The record that an address or a prefix is taken, for taking over what another system gave out. The operator writes these
 * objects; every other client needs the break-glass group, see {@link CrdsProps.breakGlassGroup}.
 *
 * Content that the API server would refuse or silently drop fails at synth, with the path of the field and of this construct.
 */
export class AddressClaim extends Construct {
  /** Name of the object, which is made of network and address. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly claim: ApiObject;

  /**
   * Declares the claim.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`
   * @param props - the claimed space, and its holder
   */
  constructor(scope: Construct, id: string, props: AddressClaimProps) {
    super(placeFor(scope, id, 'claim/invalid'), id);
    const { valid, manifest, problems } = readClaim(props);
    this.name = manifest.metadata.name;
    this.claim = clusterScoped(new ApiObject(this, 'Resource', manifest));
    const named: ObjectOfApp = {
      construct: this,
      object: this.claim,
      namespace: '',
      cluster: valid.cluster,
      field: 'spec',
      code: 'claim/invalid',
    };
    // claims without a readable spec all have the name that stands in
    const claim = this.name === NO_NAME ? undefined : claimOf(this, valid);
    if (claim !== undefined) {
      registerObject(named);
      registerClaim(claim);
      refuseForeignTwins(this, valid.cluster);
    }
    // those before it are known already, and synth validates each construct twice
    let clashes: readonly Refusal[] | undefined;
    this.node.addValidation({
      validate: () => {
        clashes ??= claim === undefined ? [] : claimClashes(claim);
        return [...problems, ...takenNameProblems(named), ...clashes].map(({ message }) => message);
      },
    });
  }
}

const claimOf = (construct: IConstruct, { spec, cluster }: AddressClaimProps): ClaimOfApp => ({
  construct,
  spec,
  range: claimedRange(spec.address),
  cluster,
});

function claimManifest({ spec, labels, annotations }: AddressClaimProps, name: string) {
  return {
    apiVersion: `${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}`,
    kind: ADDRESS_CLAIM.kind,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: { ...spec },
  };
}

// Once for each claim: a schema is slow to ask, and an app may have thousands of claims.
function readClaim(props: AddressClaimProps) {
  const { valid, problems, malformed } = readProps(CLAIM, props, 'claim/invalid');
  const wrong = specProblems(claimManifest(valid, NO_NAME));
  const name = (wrong.length > 0 ? undefined : nameOfClaim(valid.spec)) ?? NO_NAME;
  return { valid, manifest: claimManifest(valid, name), problems: malformed ? problems : [...problems, ...wrong] };
}

// The name is ours to make, so a name that does not fit is never the author's fault.
function specProblems(manifest: object): readonly Refusal[] {
  const problems = addressClaimProblems(manifest).filter(({ field }) => field !== 'metadata.name');
  return problems.length > 0 ? problems : unusableProblems(manifest);
}

// The API server takes these, and no client could ever use them.
function unusableProblems(manifest: object): readonly Refusal[] {
  const { address, until } = (manifest as { readonly spec: AddressClaimSpec }).spec;
  const range = claimedRange(address);
  const reason = range === undefined ? undefined : (unusableReason(range.first) ?? unusableReason(range.last));
  const text = `spec.until: ${quoteValue(until ?? '')} is not a valid date; give a date and time such as 2027-01-31T12:00:00Z`;
  return [
    ...(reason === undefined
      ? []
      : [
          claimRefused(
            'spec.address',
            `spec.address: "${address}" holds addresses that cannot be assigned (${reason})`,
          ),
        ]),
    ...(until === undefined || isDay(until) ? [] : [claimRefused('spec.until', text)]),
  ];
}

const claimRefused = (field: string, message: string): Refusal => ({ code: 'claim/invalid', field, message });

// JavaScript takes 31 February for 3 March.
function isDay(text: string): boolean {
  const [date = ''] = text.split('T');
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
