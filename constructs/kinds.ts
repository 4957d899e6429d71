import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { ADDRESS_CLAIM, addressClaimProblems, nameOfClaim } from '../operator/contract/kinds/address-claim';
import type { Refusal } from '../operator/errors/outcome';
import { registerObject, takenNameProblems, type ObjectOfApp } from './app-parts/app-objects';
import type { AddressClaimProps } from './kinds-props';
import { clusterScoped } from './operator-parts/names';
import { placeFor } from './props/place';
import { readProps } from './props/rule';
import { CLAIM } from './props/service-rules';

/** Stands in while the spec names no prefix; synth fails before anybody sees it. */
const NO_NAME = 'invalid';

/**
 * The record that an address or a prefix is taken, for taking over what another system gave out. The operator writes these
 * objects; everybody else needs the break-glass group, see {@link CrdsProps.breakGlassGroup}.
 *
 * What the API server would refuse or silently drop fails at synth, with the path of the field and of this construct.
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
   * @param props - what is claimed, and for whom
   */
  constructor(scope: Construct, id: string, props: AddressClaimProps) {
    super(placeFor(scope, id, 'claim/invalid'), id);
    const { sound } = readProps(CLAIM, props, 'claim/invalid');
    const manifest = claimManifest(sound);
    this.name = manifest.metadata.name;
    this.claim = clusterScoped(new ApiObject(this, 'Resource', manifest));
    const named: ObjectOfApp = {
      ...{ construct: this, object: this.claim, namespace: '', cluster: sound.cluster },
      ...{ field: 'spec', code: 'claim/invalid' },
    };
    // claims without a readable spec all have the name that stands in
    if (this.name !== NO_NAME) registerObject(named);
    this.node.addValidation({
      validate: () => [...claimProblems(props), ...takenNameProblems(named)].map(({ message }) => message),
    });
  }
}

function claimManifest({ spec, labels, annotations }: AddressClaimProps) {
  const manifest = (name: string) => ({
    apiVersion: `${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}`,
    kind: ADDRESS_CLAIM.kind,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: { ...spec },
  });
  const wrong = specProblems(manifest(NO_NAME)).length > 0;
  return manifest((wrong ? undefined : nameOfClaim(spec)) ?? NO_NAME);
}

// The name is ours to make, so a name that does not fit is never the author's fault.
function specProblems(manifest: object): readonly Refusal[] {
  return addressClaimProblems(manifest).filter(({ field }) => field !== 'metadata.name');
}

function claimProblems(props: AddressClaimProps): readonly Refusal[] {
  const { sound, problems, misshapen } = readProps(CLAIM, props, 'claim/invalid');
  return misshapen ? problems : [...problems, ...specProblems(claimManifest(sound))];
}
