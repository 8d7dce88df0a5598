import { speak } from './index'

await speak('en')
