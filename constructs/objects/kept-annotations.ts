/** Annotation by which Helm leaves an object in place when the release goes. */
export const HELM_KEEP = { 'helm.sh/resource-policy': 'keep' } as const;

/** Annotations by which Helm and Argo CD leave an object alone when the rest goes. */
export const KEEP = { ...HELM_KEEP, 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' } as const;
