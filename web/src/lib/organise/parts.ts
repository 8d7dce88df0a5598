// What is loaded when sessions are first put in order, and not before: the list is there without it.

export { default as RowMenu } from '../sessions/RowMenu.svelte'
export { default as ListTop } from './ListTop.svelte'
export { Picking } from './picking.svelte'
export { default as Sheets } from './Sheets.svelte'
